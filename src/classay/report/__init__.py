"""Reports: one plain Report, rendered to terminal, HTML and JSON. Nothing is computed here."""
