"""The report's page: the template with the run's data in it."""

import json
from pathlib import Path
from typing import Any

TEMPLATE = Path(__file__).with_name("page.html")
PLACE = "/*RUN*/null"


def page_text(data: dict[str, Any]) -> str:
    """The whole page. The data may hold any text; `<` cannot end the script it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return TEMPLATE.read_text(encoding="utf-8").replace(PLACE, text)
