"""What figures for journals bring."""

from classay.wings import Wing

WING = Wing(
    "figures",
    ways={
        "report.figure": "classay.figures.results_in_figures:write_figure",
        "report.panels": "classay.figures.results_in_figures:write_figure",
    },
    drawings={
        "ConfusionTree": "classay.figures.results_in_drawings:draw_tree",
        "RocSpace": "classay.figures.results_in_drawings:draw_space",
    },
    options={"written.figures": "classay.figures.commands:FigureOptions"},
)
