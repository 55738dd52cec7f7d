"""The report page: one file, with the run's numbers in it, that no text can break out of."""

import base64
import json
import re

import pytest

from simfabric.report import page_text, report_data
from simfabric.runner import Run
from tests.simfabric.layouts import build
from tests.simfabric.test_hangs import PAIR_LAYOUT, RECV, SEND


def data_of(page: str):
    return json.loads(re.search(r"^const run = (.*);$", page, re.MULTILINE).group(1))


@pytest.fixture
def stalled(tmp_path):
    image = build(tmp_path, PAIR_LAYOUT, {"send": SEND, "recv": RECV}, SENT=30, TAKEN=40)
    image.facts["layout"] = "</script><script>alert(1)</script>"
    return Run(image, profile=True).finish()


def test_page_holds_the_run(stalled):
    page = page_text(report_data(stalled))
    data = data_of(page)
    assert page.count("<script>") == 1 and page.count("</script>") == 1
    assert "http" not in page.replace("http-equiv", "")
    assert (data["width"], data["height"], data["cycles"]) == (2, 1, stalled.cycles)
    for name in ("working", "sending", "receiving", "idle"):
        assert len(base64.b64decode(data["split"][name])) == 2
    (color,) = data["colors"]
    assert (color["name"], color["wavelets"], color["toCores"]) == ("c (0)", 30, 30)
    assert color["busiest"] == "P0.0 R"
    (cause,) = data["causes"]
    assert cause["stalls"][0]["places"] == [[1, 0]]
    line = next(n for n, text in enumerate(RECV.split("\n"), 1) if "rx[]" in text)
    slowest = data["lines"][0]
    assert slowest["place"].endswith(f"recv.w:{line}") and slowest["receiving"] > 0
    assert 0 < slowest["share"] <= 1


def test_shares_of_time_sum_to_all(stalled):
    for program in report_data(stalled)["byProgram"]:
        shares = [program[name] for name in ("working", "sending", "receiving", "idle")]
        assert sum(shares) == pytest.approx(1)
