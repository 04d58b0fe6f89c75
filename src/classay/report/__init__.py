"""Reports: one plain Document, written as text, HTML, LaTeX and Markdown, beside the JSON. Nothing is computed here."""
