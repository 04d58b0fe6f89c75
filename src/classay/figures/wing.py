"""What figures for journals bring."""

from classay.wings import Wing

WING = Wing(
    "figures",
    ways={
        "report.figure": "classay.figures.results_in_figures:write_figure",
        "report.panels": "classay.figures.results_in_figures:write_figure",
    },
    options={"written.figures": "classay.figures.commands:FigureOptions"},
)
