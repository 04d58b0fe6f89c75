"""Reports: one plain Document, rendered as text, HTML, LaTeX and Markdown, beside the JSON. Nothing is computed here."""
