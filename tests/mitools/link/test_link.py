import numpy as np
import pytest

from carbide.object import Symbol
from mitools import Image
from mitools.console import UserError
from mitools.image.encode import same
from mitools.image.model import Flow
from mitools.link.command import main
from mitools.link.join import join
from tests.mitools.images import grid, program


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    image = grid(2, 3)
    image.set("grid.b", 1)
    image.save("a.obj")
    other = grid(1, 2, program("other", (Symbol("c", "xp", 0x100, 1),)))
    other.regions = {"recv": other.regions["grid"]}
    other.colors = {0: ["d"], 3: ["e"]}
    other.flows = [Flow(3, "add", "sp", ((0, 1),))]
    other.set("c", [[4, 5]])
    other.save("b.obj")
    return tmp_path


def test_one_image_is_checked_and_left(folder):
    before = (folder / "a.obj").stat().st_mtime_ns
    assert main(["image=a.obj", "arch=sdr"]) == 0
    assert (folder / "a.obj").stat().st_mtime_ns == before
    assert main(["image=a.obj", "out=c.obj"]) == 0
    assert same(Image.open("c.obj"), Image.open("a.obj"))


def test_images_are_joined_at_their_places():
    assert main(["image=a.obj", "image=b.obj", "at=4,1", "out=c.obj"]) == 0
    image = Image.open("c.obj")
    assert image.program.tolist() == [[0, 0, 0, -1, -1, -1], [0, 0, 0, -1, 1, 1]]
    assert image.config.tolist() == [[0, 0, 0, -1, -1, -1], [0, 0, 0, -1, 0, 0]]
    assert image.get("recv.c").tolist() == [[4, 5]]
    assert (image.get("grid.b") == 1).all()
    assert image.flows == [Flow(3, "add", "sp", ((1, 5),))]
    assert image.colors == {0: ["c", "d"], 3: ["e"]}


def test_regions_of_one_name_become_one_in_rows_and_columns():
    assert main(["image=a.obj", "image=a.obj", "at=3,0", "at=0,0", "out=c.obj"]) == 0
    image = Image.open("c.obj")
    ys, xs = image.regions["grid"]
    assert ys.tolist() == [0] * 6 + [1] * 6
    assert xs.tolist() == list(range(6)) * 2
    assert image.get("grid.b").shape == (2, 6)
    assert len(image.programs) == len(image.configs) == 1


def test_images_may_interlock_where_tiles_are_empty():
    image = Image.open("a.obj")
    image.program[0, 1] = image.config[0, 1] = -1
    image.regions = {}
    image.overlays = []
    image.save("hole.obj")
    one = Image.open("b.obj")
    one.program, one.config = one.program[:, :1], one.config[:, :1]
    one.regions, one.overlays, one.flows = {}, [], []
    one.save("one.obj")
    assert main(["image=hole.obj", "image=one.obj", "at=1,0", "out=c.obj"]) == 0
    assert Image.open("c.obj").program.tolist() == [[0, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ("image=a.obj image=b.obj at=2,1", "1 of its tiles overlap `a.obj`; the first is x=2 y=1"),
        ("image=a.obj image=b.obj", "2 images and 0 offsets"),
        ("image=a.obj at=1,1 at=2,2", "1 images and 2 offsets"),
        ("image=a.obj image=b.obj at=2", "at=`2` is not x,y of two whole numbers"),
        ("image=a.obj image=b.obj at=-1,0", "is not x,y"),
        ("image=a.obj image=b.obj at=99999,0", "is 65536 or more"),
        ("image=a.obj image=gone.obj at=9,9", "cannot read `gone.obj`"),
        ("at=1,1", "`image=` is missing"),
        ("image=big.obj", "program `big` does not fit"),
        ("image=a.obj image=big.obj at=9,9", "program `big` does not fit"),
    ],
)
def test_mistakes_leave_no_output(folder, capsys, terms, reason):
    grid(1, 1, program("big", data_end=0x6000)).save("big.obj")
    (folder / "c.obj").write_text("old")
    assert main([*terms.split(), "out=c.obj"]) == 1
    error = capsys.readouterr().err
    assert reason in error and "Traceback" not in error
    assert not (folder / "c.obj").exists() or "`image=` is missing" in error or "at=`" in error


def test_other_machines_do_not_join(capsys):
    other = grid()
    other.arch = "other"
    with pytest.raises(UserError, match=r"for the machine other; `a\.obj` is"):
        join([grid(), other], [(0, 0), (9, 9)], ["a.obj", "other.obj"])
    other.save("other.obj")
    assert main(["image=a.obj", "image=other.obj", "at=9,9", "out=c.obj"]) == 1
    assert "the machine `other` is not known here" in capsys.readouterr().err


def test_coordinates_do_not_leave_the_first_image_changed_on_failure(folder):
    before = (folder / "a.obj").read_bytes()
    assert main(["image=a.obj", "image=b.obj", "at=0,0"]) == 1
    assert (folder / "a.obj").read_bytes() == before
    assert np.all(Image.open("a.obj").get("grid.b") == 1)
