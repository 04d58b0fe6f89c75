(function () {
  "use strict";
  var data = JSON.parse(document.getElementById("data").textContent);
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  var printing = false;
  var pointer = window.matchMedia("(hover: hover)");  // a finger that drags means to scroll, not to zoom
  var config = { displaylogo: false, responsive: true, displayModeBar: pointer.matches ? "hover" : false,
    modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]] };

  function trace(source, ink, series, names) {
    var drawn = Object.assign({}, source);
    var colour = source.rank < 0 ? ink.quiet : series[source.rank % series.length];
    var whose = names.length ? "%{fullData.name}<br>" : "";
    delete drawn.rank;
    if (source.type === "bar") {
      drawn.marker = { color: colour, opacity: 0.55, line: { width: 0 } };
      drawn.hovertemplate = whose + "%{x}: %{y}<extra></extra>";
      return drawn;
    }
    if (source.fill) {
      drawn.fillcolor = colour + "2b"; drawn.line = { width: 0 }; drawn.hoverinfo = "skip";
      return drawn;
    }
    drawn.line = Object.assign({ color: colour, width: 2.25 }, source.line);
    if (source.mode === "markers") drawn.marker = Object.assign({ color: colour, size: 9 }, source.marker);
    if (source.rank < 0) {
      drawn.line.width = 1.25; drawn.line.dash = drawn.line.dash || "5px,4px"; drawn.hoverinfo = "skip"; drawn.showlegend = false;
    } else {
      drawn.line.dash = ["solid", "6px,2px", "2px,2px"][Math.floor(source.rank / series.length) % 3];
      drawn.hovertemplate = source.hovertemplate || whose + (source.customdata ? "(%{customdata[0]:.3~g}, %{customdata[1]:.3~g})" : "(%{x:.3f}, %{y:.3f})") + (source.text ? "<br>%{text}" : "") + "<extra></extra>";
    }
    return drawn;
  }

  // Not plotly's own legend: with many series that one takes the room of the curves.
  function legend(place, names, traces) {
    place.replaceChildren.apply(place, names.map(function (name, k) {
      var item = document.createElement("li"), swatch = document.createElement("i");
      var line = traces[k].line || {};
      swatch.style.borderTopColor = line.color || traces[k].marker.color;
      swatch.style.borderTopWidth = traces[k].type === "bar" ? ".7em" : "";
      swatch.style.borderTopStyle = !line.dash || line.dash === "solid" ? "solid" : line.dash.indexOf("1.5px") ? "dashed" : "dotted";
      swatch.style.opacity = traces[k].type === "bar" ? 0.6 : 1;
      item.append(swatch, name);
      return item;
    }));
  }

  function axis(title, ink) {
    return { title: { text: title, standoff: 10, font: { size: 13, color: ink.quiet } }, color: ink.quiet,
      gridcolor: ink.rule, linecolor: ink.rule, zeroline: false, ticks: "", tickfont: { size: 12 }, automargin: true };
  }

  function draw() {
    var theme = dark.matches && !printing ? "dark" : "light";
    var ink = data.colours[theme];
    data.pictures.forEach(function (picture, k) {
      var place = document.getElementById("picture-" + k);
      if (place.closest("details:not([open])")) return;  // a hidden place has no size to draw in
      var x = axis(picture.x, ink), y = axis(picture.y, ink);
      if (picture.square) {
        x.range = y.range = [-0.01, 1.01];
        x.constrain = y.constrain = "domain"; x.constraintoward = "left"; y.constraintoward = "top";
        y.scaleanchor = "x"; x.dtick = y.dtick = 0.2;
      } else if (picture.traces.some(function (t) { return t.type === "bar"; })) {
        y.rangemode = "tozero";
      }
      if (!picture.square) { Object.assign(x, picture.x_axis); Object.assign(y, picture.y_axis); }
      var layout = { xaxis: x, yaxis: y, barmode: "overlay", hovermode: "closest", dragmode: pointer.matches ? "zoom" : false, showlegend: false,
        paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
        font: { family: getComputedStyle(document.querySelector(".classay")).fontFamily, size: 13, color: ink.ink },
        hoverlabel: { bgcolor: ink.paper, bordercolor: ink.rule, font: { color: ink.ink } },
        modebar: { bgcolor: "rgba(0,0,0,0)", color: ink.quiet, activecolor: ink.accent },
        margin: { l: 8, r: 8, t: 12, b: 8 } };
      function drawn(t) { return trace(t, ink, data.series[theme], picture.legend); }
      var traces = picture.traces.map(drawn);
      legend(document.getElementById("legend-" + k), picture.legend, traces);
      // The page is not laid out anew before it is printed, so plotly could not measure its place.
      if (printing) { layout.width = 310; layout.height = 300; } else { layout.autosize = true; }
      window.Plotly.react(place, traces, layout, config);
    });
  }

  draw();
  document.querySelectorAll("details").forEach(function (each) { each.addEventListener("toggle", draw); });
  dark.addEventListener("change", draw);
  window.addEventListener("beforeprint", function () { printing = true; draw(); });
  window.addEventListener("afterprint", function () { printing = false; draw(); });
})();
