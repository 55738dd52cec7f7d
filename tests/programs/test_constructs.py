"""Every construct of the language in a small program: constructs/NAME.w beside NAME.expected.

A program runs in the layout NAME.paint or, without one, alone on a PE called NAME. Each line of
NAME.expected is `variable: its elements at the end`, or `tiles.variable: …` of other tiles.
"""

from pathlib import Path

import numpy as np
import pytest

import simfabric
from mitools.image.model import Image
from paint.command import main as paint
from tests.programs.bench import same_bits

CONSTRUCTS = Path(__file__).parent / "constructs"
ALONE = "let t = rect(0 0 1 1)\nt : code('{0} [])\nt : name('{0})\nt\n"


def number(text: str, type: np.dtype) -> object:
    return int(text, 0) if type.kind in "iu" else float(text)


@pytest.mark.parametrize("name", sorted(path.stem for path in CONSTRUCTS.glob("*.expected")))
def test_constructs(name, tmp_path):
    layout = CONSTRUCTS / f"{name}.paint"
    if not layout.exists():
        layout = tmp_path / f"{name}.paint"
        layout.write_text(ALONE.format(name))
    image = f"{tmp_path}/bench.obj"
    assert paint([f"source={layout}", f"lib={CONSTRUCTS}", f"image={image}"]) == 0
    result = simfabric.run(Image.open(image), cycles=1_000_000)
    assert result.error is None and result.reason == "quiet", str(result)
    for line in (CONSTRUCTS / f"{name}.expected").read_text().splitlines():
        variable, elements = line.split(":")
        symbol = variable if "." in variable else f"{name}.{variable}"
        found = np.asarray(result.core.get(symbol)).ravel()
        expected = np.array([number(word, found.dtype) for word in elements.split()], found.dtype)
        same_bits(found, expected, variable)
