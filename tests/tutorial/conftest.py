import shutil

import pytest
from lessons import LESSONS, MADE, Tutorial


@pytest.fixture(scope="session")
def tutorial(tmp_path_factory: pytest.TempPathFactory) -> Tutorial:
    folder = tmp_path_factory.mktemp("lessons") / "tutorial"
    shutil.copytree(LESSONS, folder, ignore=MADE)
    return Tutorial(folder)
