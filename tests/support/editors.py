"""What notebook editors put around the output of a cell: their markup, variables and rules that reach into a card."""

JUPYTERLAB = {
    "light": {
        "--jp-layout-color0": "white",
        "--jp-layout-color1": "white",
        "--jp-content-font-color1": "rgba(0, 0, 0, 0.87)",
        "--jp-rendermime-table-row-background": "#f5f5f5",
    },
    "dark": {
        "--jp-layout-color0": "#111",
        "--jp-layout-color1": "#212121",
        "--jp-content-font-color1": "rgba(255, 255, 255, 1)",
        "--jp-rendermime-table-row-background": "#212121",
    },
}
VSCODE = {
    "light": {"--vscode-editor-background": "#ffffff", "--vscode-editor-foreground": "#3b3b3b"},
    "dark": {"--vscode-editor-background": "#1f1f1f", "--vscode-editor-foreground": "#cccccc"},
}
COLAB = {"light": ("white", "#202124"), "dark": ("#383838", "#d5d5d5")}


def _variables(names):
    return "".join(f"{name}: {value}; " for name, value in names.items())


def _page(html, body, style, inside):
    return f"<!doctype html><html{html}><head><style>{style}</style></head><body{body}>{inside}</body></html>"


def in_jupyterlab(cards, theme):
    """The theme is an attribute of the body; tables have striped rows and small letters of their own."""
    style = f"""
:root {{ {_variables(JUPYTERLAB[theme])} }}
body {{ background: var(--jp-layout-color0); color: #888; margin: 0; }}
.jp-RenderedHTMLCommon {{ color: var(--jp-content-font-color1); font: 14px/1.6 sans-serif; }}
.jp-RenderedHTMLCommon table {{ border: none; font-size: 12px; table-layout: fixed; margin: 0 auto 1em auto; }}
.jp-RenderedHTMLCommon tbody tr:nth-child(odd) {{ background: var(--jp-layout-color0); }}
.jp-RenderedHTMLCommon tbody tr:nth-child(even) {{ background: var(--jp-rendermime-table-row-background); }}
.jp-RenderedHTMLCommon td, .jp-RenderedHTMLCommon th {{ text-align: right; padding: .5em; white-space: normal; }}
.jp-RenderedHTMLCommon h5 {{ font-size: 1em; margin: 1em 0 .5em; }}"""
    body = f' data-jp-theme-light="{str(theme == "light").lower()}" data-jp-theme-name="JupyterLab {theme.title()}"'
    kinds = "jp-RenderedHTMLCommon jp-RenderedHTML jp-OutputArea-output"
    inside = "".join(
        f'<div class="jp-OutputArea-child"><div class="{kinds}">{card}</div></div>' for card in cards
    )
    return _page("", body, style, inside)


def in_vscode(cards, theme):
    """The theme is a class of the body of a webview; what is not said is inherited from it."""
    style = f"""
html {{ {_variables(VSCODE[theme])} }}
body {{ background: var(--vscode-editor-background); color: var(--vscode-editor-foreground); }}
body {{ margin: 0; font: 13px sans-serif; }}
.output table {{ border-collapse: collapse; }}
.output th, .output td {{ padding: 5px 10px; text-align: left; }}
.output tbody tr:nth-child(even) {{ background: color-mix(in srgb, currentColor 6%, transparent); }}"""
    inside = "".join(
        f'<div class="output_container"><div class="output"><div class="output-html">{card}</div></div></div>'
        for card in cards
    )
    return _page("", f' class="vscode-{theme}" data-vscode-theme-kind="vscode-{theme}"', style, inside)


def in_colab(cards, theme):
    """Each output is a page of its own, whose theme is an attribute of its root; it names no variables to rely on."""
    paper, ink = COLAB[theme]
    style = f"html {{ background: {paper}; }} body {{ color: {ink}; margin: 8px; font: 14px Roboto, sans-serif; }}"
    inside = "".join(f'<div class="output_subarea output_html rendered_html">{card}</div>' for card in cards)
    return _page(f" theme={theme}", "", style, inside)


EDITORS = {"jupyterlab": in_jupyterlab, "vscode": in_vscode, "colab": in_colab}
