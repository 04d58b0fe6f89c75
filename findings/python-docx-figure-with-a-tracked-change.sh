#!/usr/bin/env bash
# python-docx 1.2.0: Paragraph.text and _Cell.text of a figure that a reviewer edited with Track Changes.
# Behaviour: text that was deleted is left out, and text that was inserted is left out too.
# Seen: .87 changed to .83 reads as .8, which is neither the old figure nor the new one.
# One would guess: the figure with the change, as a reader of the document has it, or the one before it.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q python-docx==1.2.0
cd "$work"
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

document = docx.Document()
cell = document.add_table(1, 1).cell(0, 0)
paragraph = cell.paragraphs[0]
paragraph.add_run("AUC 0.8")
words, who = nsdecls("w"), 'w:author="reviewer" w:date="2026-11-30T00:00:00Z"'
paragraph._p.append(parse_xml(f'<w:del {words} w:id="1" {who}><w:r><w:delText>7</w:delText></w:r></w:del>'))
paragraph._p.append(parse_xml(f'<w:ins {words} w:id="2" {who}><w:r><w:t>3</w:t></w:r></w:ins>'))
document.save("table2.docx")
cell = docx.Document("table2.docx").tables[0].cell(0, 0)
print("python-docx", version("python-docx"), repr(cell.text), repr(cell.paragraphs[0].text))
assert cell.text == cell.paragraphs[0].text == "AUC 0.8", "changed: tracked changes are read"
PY
