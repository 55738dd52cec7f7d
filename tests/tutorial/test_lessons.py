"""The lessons run as their pages say, and the two forms of the simulator agree on them."""

import json
import re

import pytest
from lessons import LESSONS, Tutorial

NAMES = sorted(path.parent.name for path in LESSONS.glob("*/test.rc"))


def test_quick_rows_of_all_lessons_pass(tutorial: Tutorial) -> None:
    text = tutorial.run("make", "-j2", "check", "TEST=fast")
    assert {line.split()[1].split("/")[0] for line in text.splitlines() if "pass " in line} == set(
        NAMES
    )
    rows = [row for name in NAMES for row in (LESSONS / name / "test.rc").read_text().splitlines()]
    quick = sum(row.startswith("fast ") for row in rows)
    assert quick >= len(NAMES)
    assert text.splitlines()[-1] == f"{quick} passed, 0 failed"


@pytest.mark.parametrize("name", NAMES)
def test_compiled_and_plain_simulator_agree(tutorial: Tutorial, name: str) -> None:
    label = (LESSONS / name / "test.rc").read_text().split("fast")[1].split()
    row = next(word for word in label if word != "tutorial" or "=" in label[1])
    folder = f"{name}/test-{row}"
    tutorial.run("make", f"test-{row}/bench.elf", folder=name)
    logs = {}
    for pure in ("0", "1"):
        logs[pure] = tutorial.run(
            "simfabric",
            "elf=bench.elf",
            f"core=pure{pure}",
            "json=1",
            folder=folder,
            WOLFRAMITE_PURE=pure,
        )
    assert '"compiled":false' in logs["1"]
    cores = [(tutorial.folder / folder / f"pure{pure}").read_bytes() for pure in ("0", "1")]
    assert cores[0] == cores[1]
    cycles = [re.search(r'"cycles": *(\d+)', logs[pure])[1] for pure in ("0", "1")]
    assert cycles[0] == cycles[1]


def test_threads_do_not_matter(tutorial: Tutorial) -> None:
    tutorial.run("make", "test-5x5/bench.elf", folder="06-heat")
    cores = []
    for threads in "12":
        tutorial.run(
            "simfabric",
            "elf=bench.elf",
            f"core=threads{threads}",
            f"threads={threads}",
            folder="06-heat/test-5x5",
        )
        cores.append((tutorial.folder / f"06-heat/test-5x5/threads{threads}").read_bytes())
    assert cores[0] == cores[1]


def test_first_lesson_is_one_vector_instruction(tutorial: Tutorial) -> None:
    tutorial.run("make", "bench-listing.json", folder="01-add")
    text = (tutorial.folder / "01-add/bench-listing.json").read_text()
    json.loads(text)
    assert text.count("add16") == 1


def test_pages_name_files_that_exist() -> None:
    for page in LESSONS.parent.glob("**/*.md"):
        if ".venv" in page.parts:
            continue
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page}: {target}"
