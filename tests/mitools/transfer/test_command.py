import numpy as np
import pytest

from mitools import Image
from mitools.image.map import map_text
from mitools.transfer.command import main_miget, main_miset
from tests.mitools.images import grid


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    image = grid()
    image.save("bench.img")
    (tmp_path / "bench.map").write_text(map_text(image))
    return tmp_path


def miset(*terms: str) -> int:
    return main_miset(["image=bench.img", "out=bench.img", "map=bench.map", *terms])


def miget(*terms: str) -> int:
    return main_miget(["image=bench.img", "map=bench.map", *terms])


def test_data_goes_in_and_out_in_the_order_named(folder):
    values = np.arange(18, dtype="<f4")
    values.tofile("a.bin")
    assert miset("symbol=grid.a", "order=n y x _word", "data=a.bin", "arch=sdr") == 0
    assert miget("symbol=grid.a", "order=n,y,x,_word", "data=out.bin") == 0
    assert (folder / "out.bin").read_bytes() == values.tobytes()
    assert miget("symbol=grid.a", "data=out.bin", "npy=out.npy") == 0
    again = np.fromfile("out.bin", "<f4").reshape(2, 3, 3)
    assert np.array_equal(again.transpose(2, 0, 1).ravel(), values)
    assert np.array_equal(np.load("out.npy"), again)


def test_the_bracket_of_the_map_is_an_order(folder):
    line = next(s for s in (folder / "bench.map").read_text().splitlines() if "grid.a" in s)
    bracket = line[line.index("[") + 1 : -1]
    assert miget("symbol=grid.a", f"order={bracket}", "data=out.bin") == 0
    assert (folder / "out.bin").stat().st_size == 2 * 3 * 3 * 4


def test_one_value_fills_all_and_a_list_fills_each_tile(folder):
    assert miset("symbol=grid.b", "value=-3") == 0
    assert miset("symbol=grid.a", "value=0.1, 2 nan") == 0
    image = Image.open("bench.img")
    assert (image.get("grid.b") == -3).all()
    assert image.get("grid.a")[1, 2, :2].tolist() == [np.float32(0.1), 2.0]
    assert miset("symbol=grid.b", "value=1 2 3 4 5 6", "order=x y") == 0
    assert Image.open("bench.img").get("grid.b").tolist() == [[1, 3, 5], [2, 4, 6]]


def test_structs_take_a_list_of_words(folder):
    words = " ".join(hex(k) for k in range(14))
    assert miset("symbol=grid.params", f"value={words}") == 0
    assert Image.open("bench.img").get("grid.params")[1, 1].tolist() == list(range(14))
    assert miset("symbol=grid.params", "value=7") == 0
    assert (Image.open("bench.img").get("grid.params") == 7).all()


def test_stars_name_several_symbols(folder, capsys):
    assert miset("symbol=*.b", "value=5") == 0
    assert miget("symbol=grid.*a*", "text") == 0
    printed = capsys.readouterr().out
    assert "grid.a sp" in printed and "grid.params" in printed and "grid.b" not in printed
    assert miget("symbol=grid.?", "text") == 1


def test_list_shows_the_map(folder, capsys):
    assert main_miget(["image=bench.img", "list"]) == 0
    assert capsys.readouterr().out == (folder / "bench.map").read_text()
    assert main_miget(["image=bench.img", "list", "symbol=*.h"]) == 0
    assert capsys.readouterr().out == "grid.h hp 0x0130 [y<2 x<3 n<2 m<3]\n"


def test_without_out_the_image_itself_is_changed(folder):
    assert main_miset(["image=bench.img", "symbol=b", "value=9"]) == 0
    assert (Image.open("bench.img").get("b") == 9).all()


def test_an_out_of_its_own_leaves_the_image(folder):
    before = (folder / "bench.img").read_bytes()
    assert main_miset(["image=bench.img", "out=new.img", "symbol=b", "value=9"]) == 0
    assert (folder / "bench.img").read_bytes() == before
    assert (Image.open("new.img").get("b") == 9).all()


def test_a_map_of_another_build_is_a_warning(folder, capsys):
    text = (folder / "bench.map").read_text().replace("0x0110", "0x0210")
    (folder / "bench.map").write_text(text)
    assert miget("symbol=grid.b", "text") == 0
    assert "the map is of another build" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ("symbol=grid.a data=short.bin", "has 10 bytes; `grid.a` [y<2 x<3 n<3 _word<2] takes 72"),
        ("symbol=grid.a data=gone.bin", "cannot read `gone.bin`"),
        ("symbol=grid.a", "give either data= or value="),
        ("symbol=grid.a data=short.bin value=1", "give either data= or value="),
        ("symbol=grid.q value=1", "there is no symbol `grid.q`"),
        ("symbol=grid.a value=1,2", "has 2 numbers; `grid.a` takes 1 or 3 or 18"),
        ("symbol=grid.params value=1,2", "has 2 numbers; `grid.params` takes 1 or 14 or 84"),
        ("symbol=q* value=1", "no symbol matches `q*`"),
        ("symbol=grid.a order=y,x,n data=short.bin", 'order="y x n _word"'),
        ("symbol=grid.a value=1 arch=sdx", "did you mean `sdr`?"),
        ("value=1", "`symbol=` is missing"),
    ],
)
def test_mistakes_of_miset_leave_the_image_and_no_output(folder, capsys, terms, reason):
    (folder / "short.bin").write_bytes(bytes(10))
    before = (folder / "bench.img").read_bytes()
    assert miset(*terms.split()) == 1
    assert main_miset(["image=bench.img", "out=new.img", *terms.split()]) == 1
    error = capsys.readouterr().err
    assert reason in error and "Traceback" not in error
    assert (folder / "bench.img").read_bytes() == before
    assert not (folder / "new.img").exists()


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ("symbol=grid.a", "say text, data=FILE, npy=FILE or list"),
        ("text", "`symbol=` is missing"),
        ("symbol=grid.a data=out.bin order=y", "leaves out x of 3, n of 3, _word of 2"),
        ("symbol=grid.* npy=out.npy", "npy= holds one symbol"),
        ("symbol=grid.a text data=no/o.bin", "the folder `no` does not exist"),
        ("symbol=grid.a text map=bench.img", "is given twice"),
    ],
)
def test_mistakes_of_miget_leave_no_output(folder, capsys, terms, reason):
    for stale in ("out.bin", "out.npy"):
        (folder / stale).write_text("old") if stale in terms else None
    assert miget(*terms.split()) == 1
    error = capsys.readouterr().err
    assert reason in error and "Traceback" not in error
    assert sorted(p.name for p in folder.iterdir()) == ["bench.img", "bench.map"]


def test_a_wrong_map_is_named(folder, capsys):
    assert main_miget(["image=bench.img", "map=bench.img", "symbol=b", "text"]) == 1
    assert "not UTF-8 text" in capsys.readouterr().err
