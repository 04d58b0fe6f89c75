// Moves the threshold: the matrix, the rates, the costs and the marks on the curves follow, from the embedded counts.
(function () {
  var points = JSON.parse(document.getElementById("points").textContent);
  var data = document.getElementById("data");
  var pictures = data ? JSON.parse(data.textContent) : [];
  var P = points.positives, N = points.negatives, observed = P / (P + N), last = points.tp.length - 1;
  var base = points.prevalence, objectives = points.objectives;
  function by(id) { return document.getElementById(id); }
  var slider = by("slider"), exactly = by("exactly"), prevalence = by("prevalence"), told = by("told");
  var given = prevalence.defaultValue, typed = null, waiting = 0;
  var spent = Array.prototype.slice.call(document.querySelectorAll("[data-cost]"));
  var hasCost = points.objective === "cost", moved = by("moved");  // other costs than named ones are what a reader gives

  // --- rates: as in classay.measures, of the weights of the four cells

  function cells(k, share) {
    var tp = points.tp[k], fp = points.fp[k];
    if (share === null) return { tp: tp, fp: fp, fn: P - tp, tn: N - fp };
    var tpr = tp / P, fpr = fp / N;
    return { tp: share * tpr, fp: (1 - share) * fpr, fn: share * (1 - tpr), tn: (1 - share) * (1 - fpr) };
  }

  function rates(c, t, costs) {
    var all = c.tp + c.fp + c.fn + c.tn, called = c.tp + c.fp, margins = called * (c.fn + c.tn) * (c.tp + c.fn) * (c.fp + c.tn);
    var odds = points.probabilities && t !== null && t >= 0 && t < 1 ? t / (1 - t) : NaN;
    return {
      recall: c.tp / (c.tp + c.fn),
      specificity: c.tn / (c.fp + c.tn),
      precision: c.tp / called,
      negative_predictive_value: c.tn / (c.fn + c.tn),
      accuracy: (c.tp + c.tn) / all,
      f1: 2 * c.tp / (2 * c.tp + c.fp + c.fn),
      matthews_correlation: (c.tp * c.tn - c.fp * c.fn) / Math.sqrt(margins),
      called: called / all,
      cost: (costs.fp * c.fp + costs.fn * c.fn + (costs.tp || 0) * c.tp + (costs.tn || 0) * c.tn) / all,
      net_benefit: (c.tp - c.fp * odds) / all
    };
  }

  // What a rule makes least or greatest: the page computes it, or knows it at the prevalence of the rule.
  function objective(k, r, share) {
    if (points.objective in r && !isNaN(r[points.objective])) return r[points.objective];
    return share === base && objectives && objectives[k] !== null ? objectives[k] : NaN;
  }

  // --- where a threshold stands in each picture

  var PLACES = {
    roc: function (k) { return [points.fp[k] / N, points.tp[k] / P]; },
    precision_recall: function (k, r) { return [r.recall, r.precision]; },
    cumulative_gain: function (k, r) { return [r.called, r.recall]; },
    lift: function (k, r, share) { return [r.called, r.precision / share]; },
    net_benefit: function (k, r, share, costs, t) { return [t, r.net_benefit]; },
    objective: function (k, r, share, costs, t) { return [t, r.objective]; },
    cost: function (k, r, share, costs) {
      var x = share * costs.fn / (share * costs.fn + (1 - share) * costs.fp);
      return [x, (1 - points.tp[k] / P) * x + points.fp[k] / N * (1 - x)];
    }
  };
  var TURNS = {
    precision_recall: function (at) { return "V" + at[1] + "H" + at[0]; },
    objective: function (at) { return "H" + at[0] + "V" + at[1]; }
  };
  var MOVED = ["precision_recall", "cumulative_gain", "lift", "net_benefit", "objective"];

  function placed(picture, at) {
    return ["x", "y"].map(function (name, i) {
      var side = picture[name];
      return side[2] + (at[i] - side[0]) / (side[1] - side[0]) * (side[3] - side[2]);
    });
  }

  function known(at) { return at[0] !== null && isFinite(at[0]) && isFinite(at[1]); }

  var figures = Array.prototype.filter.call(document.querySelectorAll("figure[data-name]"), function (figure) {
    return PLACES[figure.dataset.name];
  }).map(function (figure) {
    var plot = figure.querySelector("svg.plot"), inside = plot.querySelector("svg"), mark = inside.querySelector(".mark");
    var legend = figure.querySelector(".legend .ring");
    return {
      name: figure.dataset.name, figure: figure, picture: pictures[+figure.dataset.place], inside: inside,
      ring: mark && mark.querySelector("circle"), mark: mark, legend: legend && legend.nextSibling,
      line: inside.querySelector('[data-of="this threshold, all costs"] path')
    };
  }).filter(function (each) { return each.ring; });

  function draw(k, r, share, costs, t) {
    figures.forEach(function (each) {
      var at = PLACES[each.name](k, r, share, costs, t), place = placed(each.picture, at);
      each.mark.style.display = known(at) ? "" : "none";
      if (known(at)) { each.ring.setAttribute("cx", place[0]); each.ring.setAttribute("cy", place[1]); }
      if (each.legend) each.legend.textContent = "threshold " + threshold(k);
      if (each.line) {
        var ends = [[0, points.fp[k] / N], [1, 1 - points.tp[k] / P]].map(function (end) { return placed(each.picture, end).join(" "); });
        each.line.setAttribute("d", "M" + ends.join("L"));
      }
    });
  }

  // Curves that another prevalence moves, or other costs, are drawn a second time, dashed.
  function redraw(at) {
    figures.forEach(function (each) {
      if (MOVED.indexOf(each.name) < 0) return;
      var isOther = at.share !== base || each.name === "objective" && points.objective === "cost" && at.areOther;
      var share = at.share === null ? observed : at.share;
      if (!isOther && !each.again) return;
      if (!each.again) {
        each.again = document.createElementNS("http://www.w3.org/2000/svg", "g");
        each.again.setAttribute("class", "s1 again");
        each.again.innerHTML = '<path class="line" stroke-dasharray="4 3"/>';
        each.inside.insertBefore(each.again, each.mark);
        each.note = document.createElement("p");
        each.note.className = "quiet";
        each.figure.append(each.note);
      }
      each.again.style.display = each.note.style.display = isOther ? "" : "none";
      if (!isOther) return;
      var path = "", turn = TURNS[each.name] || function (at) { return "L" + at.join(" "); };
      for (var k = 0; k <= last; k++) {
        var t = points.threshold[k], place = PLACES[each.name](k, found(k, t, at), share, at.costs, t);
        if (known(place)) { place = placed(each.picture, place); path += path ? turn(place) : "M" + place.join(" "); }
      }
      each.again.firstChild.setAttribute("d", path);
      each.note.textContent = (path ? "Dashed: at " : "Not available at ") +
        (at.share === base ? "these costs." : "a prevalence of " + shown(100 * share) + "%.");
    });
  }

  // --- words

  // Halfway between two, Python takes the even one and toFixed the greater: such numbers are odd shares of 2^(places + 1).
  function fixed(number, places) {
    var text = number.toFixed(places), isHalf = Math.abs(number) * Math.pow(2, places + 1) % 2 === 1;
    return isHalf && text.slice(-1) % 2 ? (number * (1 - 1e-9)).toFixed(places) : text;
  }

  function shown(number) {
    if (!isFinite(number)) return "not defined";
    var size = Math.abs(number);
    if (size >= 100) return (+fixed(number, 0)).toLocaleString("en-US");
    return size !== 0 && size < 1e-3 ? String(+number.toPrecision(3)) : fixed(number, size < 10 ? 3 : 1);
  }

  function threshold(k, asGiven) {
    if (typed !== null && !asGiven) return String(typed);
    var t = points.threshold[k];
    return t === null ? "above every score" : String(+t.toPrecision(6));
  }

  function counted(number) {
    return (+fixed(number, points.decimals)).toLocaleString("en-US", { minimumFractionDigits: points.decimals, maximumFractionDigits: points.decimals });
  }

  var shares = Array.prototype.map.call(document.querySelectorAll("[data-rate]"), function (place) {
    var value = place.querySelector("b"), interval = place.querySelector(".interval");
    return { name: place.dataset.rate, value: value, interval: interval, first: value.textContent, span: interval && interval.textContent };
  });
  var counts = document.querySelectorAll("[data-count]");

  function write(k, c, r, isFirst) {
    shares.forEach(function (each) {
      if (!(each.name in r)) return;
      each.value.textContent = isFirst && each.interval ? each.first : shown(r[each.name]);
      each.value.classList.toggle("undefined", each.value.textContent === "not defined");
      if (each.interval) each.interval.textContent = isFirst ? each.span : "";
    });
    c.called = c.tp + c.fp; c["not-called"] = c.fn + c.tn;
    counts.forEach(function (cell) {
      var name = cell.dataset.count, total = name === "tp" || name === "fn" ? P : N;
      cell.textContent = counted(c[name]);
      cell.style.setProperty("--shade", (total ? Math.round(50 * c[name] / total) : 0) + "%");
    });
    if (by("spent")) by("spent").hidden = !hasCost;
    if (moved) {
      moved.hidden = isFirst;
      moved.textContent = "The sentences and the facts below are for threshold " + threshold(points.chosen, true) + ". The slider is at " + threshold(k) + ".";
    }
    var priced = spent.length ? r.cost : r.objective;
    var text = "Threshold " + threshold(k) + ": sensitivity " + shown(r.recall) + ", specificity " + shown(r.specificity) +
      ", precision " + shown(r.precision) + (hasCost ? ", cost a case " + shown(priced) : "") + ".";
    slider.setAttribute("aria-valuetext", text);
    clearTimeout(waiting);
    waiting = setTimeout(function () {
      told.textContent = text;
    }, 250);
    by("unsure").hidden = isFirst;
  }

  // --- what the reader gives

  function givens() {
    var share = prevalence.value === given ? base : Math.min(Math.max(parseFloat(prevalence.value) / 100, 0), 1);
    var costs = {}, areOther = false;
    spent.forEach(function (field) {
      var number = parseFloat(field.value), first = parseFloat(field.defaultValue);
      costs[field.dataset.cost] = isFinite(number) ? number : first;
      areOther = areOther || isFinite(number) && number !== first;
    });
    return { costs: costs, areOther: areOther, share: share === null || share >= 0 ? share : base };
  }

  // The rates of a point, of the counts of these cases or at another prevalence.
  function found(k, t, at) {
    var r = rates(cells(k, at.share), t, at.costs);
    r.objective = objective(k, r, at.share);
    return r;
  }

  function place() { return last - slider.value; }

  function move() {
    var at = givens(), k = place(), c = cells(k, null), share = at.share === null ? observed : at.share;
    var t = typed === null ? points.threshold[k] : typed;
    hasCost = points.objective === "cost" || at.areOther;
    var r = found(k, t, at);
    write(k, c, r, typed === null && k === points.chosen && at.share === base);
    draw(k, r, share, at.costs, t);
    if (typed === null && document.activeElement !== exactly) exactly.value = points.threshold[k] === null ? "" : +points.threshold[k].toPrecision(6);
  }

  function cheapest() {
    var at = givens(), least = Infinity, best = 0;
    for (var k = 0; k <= last; k++) {
      var cost = rates(cells(k, at.share), null, at.costs).cost;
      if (cost < least) { least = cost; best = k; }
    }
    return best;
  }

  // The point of a threshold: positive when score >= threshold, compared in the precision of the scores.
  function point(t) {
    var low = 0, high = last;
    if (points.single) t = Math.fround(t);
    while (low < high) {
      var middle = (low + high + 1) >> 1;
      if (points.threshold[middle] >= t) low = middle; else high = middle - 1;
    }
    return low;
  }

  function go(k) { slider.value = last - k; move(); }

  // Between two points that are neighbours in the table, every threshold does the same, and is shown as it was typed.
  function type() {
    if (exactly.value === "") return;
    var t = parseFloat(exactly.value);
    typed = points.thinned ? null : t;
    go(point(t));
  }

  slider.addEventListener("input", function () { typed = null; move(); });
  exactly.addEventListener("change", type);
  by("back").addEventListener("click", function () {
    typed = null;
    spent.concat(prevalence).forEach(function (field) { field.value = field.defaultValue; });
    redraw(givens());
    go(points.chosen);
  });
  if (by("cheapest")) by("cheapest").addEventListener("click", function () { typed = null; go(cheapest()); });
  spent.concat(prevalence).forEach(function (field) {
    field.addEventListener("input", function () { redraw(givens()); move(); });
  });
  document.querySelectorAll("#mover, #givens, .scripted").forEach(function (each) {
    each.hidden = false;
    each.addEventListener("submit", function (event) { event.preventDefault(); });
  });
  by("back").textContent = "back to " + threshold(points.chosen);
  spent.concat(prevalence).forEach(function (field) { field.value = field.defaultValue; });
  slider.value = last - points.chosen;
  move();
})();
