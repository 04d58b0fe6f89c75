// Says what a picture shows where it is pointed at: the nearest point of those that have something to say.
(function () {
  var pictures = JSON.parse(document.getElementById("data").textContent);
  var REACH = 28;

  function shown(number) {
    return Math.abs(number) >= 1e4 || (number !== 0 && Math.abs(number) < 1e-3) ? number.toPrecision(3) : String(+number.toFixed(3));
  }

  function place(side, number) {
    return side[2] + (number - side[0]) / (side[1] - side[0]) * (side[3] - side[2]);
  }

  function nearest(picture, x, y) {
    var best = null, least = REACH * REACH;
    picture.marks.forEach(function (marks) {
      marks.x.forEach(function (value, k) {
        if (value === null || marks.y[k] === null) return;
        var at = [place(picture.x, value), place(picture.y, marks.y[k])];
        var apart = (at[0] - x) * (at[0] - x) + (at[1] - y) * (at[1] - y);
        if (apart < least) { least = apart; best = { at: at, marks: marks, k: k }; }
      });
    });
    return best;
  }

  document.querySelectorAll("figure[data-place]").forEach(function (figure) {
    var plot = figure.querySelector("svg.plot"), picture = pictures[+figure.dataset.place], told = document.createElement("div");
    var finger = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    told.className = "told"; told.hidden = true;
    finger.setAttribute("class", "finger"); finger.setAttribute("r", 4.5); finger.style.display = "none";
    plot.append(finger); figure.append(told);

    function leave() { told.hidden = true; finger.style.display = "none"; }
    plot.addEventListener("pointerleave", leave);
    plot.addEventListener("pointermove", function (event) {
      var box = plot.getBoundingClientRect(), scale = picture.size[0] / box.width;
      var found = nearest(picture, (event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
      if (!found) { leave(); return; }
      var text = (found.marks.texts || [])[found.k];
      text = typeof text === "number" ? "score ≥ " + text : text || "";
      told.textContent = found.marks.said.replace(/\{(x|y|text)\}/g, function (_, name) {
        return name === "text" ? text : shown(found.marks[name][found.k]);
      }).trim();
      told.hidden = false; finger.style.display = "";
      finger.setAttribute("cx", found.at[0]); finger.setAttribute("cy", found.at[1]);
      var around = figure.getBoundingClientRect();
      var left = box.left - around.left + found.at[0] / scale + 12, top = box.top - around.top + found.at[1] / scale + 12;
      told.style.left = Math.max(0, Math.min(left, around.width - told.offsetWidth)) + "px";
      told.style.top = top + "px";
    });
  });
})();
