// Paper has no folds: all that is folded is printed, and folded again afterwards.
(function () {
  var opened = [];
  addEventListener("beforeprint", function () {
    opened = Array.prototype.slice.call(document.querySelectorAll("details:not([open])"));
    opened.forEach(function (each) { each.open = true; });
  });
  addEventListener("afterprint", function () {
    opened.forEach(function (each) { each.open = false; });
  });
})();
