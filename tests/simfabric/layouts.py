"""Images from layouts and programs given as text: the whole way of `paint` and `carbide`."""

from pathlib import Path

from mitools.image.model import Image
from paint.command import main as paint


def build(folder: Path, layout: str, programs: dict[str, str], **values: object) -> Image:
    """The image of a layout whose programs are NAME: text. Fails the test with paint's errors."""
    (folder / "bench.paint").write_text(layout, encoding="utf-8")
    for name, text in programs.items():
        (folder / f"{name}.w").write_text(text, encoding="utf-8")
    words = [f"set={name}={value}" for name, value in values.items()]
    status = paint(
        [f"source={folder}/bench.paint", f"lib={folder}", f"image={folder}/bench.obj", *words]
    )
    assert status == 0
    return Image.open(str(folder / "bench.obj"))
