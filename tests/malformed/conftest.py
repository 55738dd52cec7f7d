import shutil
from pathlib import Path

import pytest
from broken import LAYOUT, RECV, SEND, STEPS, run


@pytest.fixture(scope="session")
def good_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two PEs and all the files between their sources and the values they end with."""
    folder = tmp_path_factory.mktemp("good")
    for name, text in (("bench.paint", LAYOUT), ("send.w", SEND), ("recv.w", RECV)):
        (folder / name).write_text(text)
    for step in STEPS.splitlines():
        done = run(step.split(), folder)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def good(good_folder: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "case"
    shutil.copytree(good_folder, folder)
    return folder
