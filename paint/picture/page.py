"""The picture in a page of its own, where colors can be switched off and on."""

from __future__ import annotations

from html import escape

from paint.evaluate.layout import Layout

PAGE = """<!doctype html>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ margin: 1em; font-family: DejaVu Sans, Helvetica, Arial, sans-serif; font-size: 13px }}
fieldset {{ border: 1px solid #bbb; margin-bottom: .7em }}
label {{ margin-right: 1em; white-space: nowrap }}
</style>
<fieldset><legend>Colors that are drawn</legend>
<button type="button" onclick="all(true)">all</button>
<button type="button" onclick="all(false)">none</button>
{boxes}
</fieldset>
{drawing}
<script>
function draw(box) {{
  for (const one of document.querySelectorAll("." + box.value))
    one.style.display = box.checked ? "" : "none";
}}
function all(on) {{
  for (const box of document.querySelectorAll("input")) {{ box.checked = on; draw(box); }}
}}
</script>
"""


def page(drawing: str, layout: Layout, source: str) -> str:
    """HTML around a picture."""
    boxes = "\n".join(
        f'<label><input type="checkbox" checked value="c{color.order}" onchange="draw(this)">'
        f"{escape(color.label)}</label>"
        for color in layout.colors
    )
    return PAGE.format(title=escape(source), boxes=boxes, drawing=drawing)
