from pathlib import Path

import pytest
from lesson_folder import TOOL, TOOLS, Lesson


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in TOOLS:
        (tools / tool).write_text(TOOL)
        (tools / tool).chmod(0o755)
    folder = tmp_path / "lesson"
    folder.mkdir()
    made = Lesson(folder, tools)
    made.write("bench.paint", "let p = tile()\np : code('send [N:N])\np\n")
    made.write("send.w", "import common;\nxp a[n=4];\n")
    made.write("common.w", "xp b;\n")
    made.write(
        "Makefile",
        "include $(FLUTEMK)\ninclude $(TESTMK)\nPAINTVARS = N\n"
        "test: bench-sim.core bench.map\n\tcat bench-sim.core\n",
    )
    made.write("test.rc", "fast first N=4\nsecond N=5\n")
    return made
