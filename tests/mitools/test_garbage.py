"""Whatever stands in its files and terms, a tool ends with status 0 or 1 and a reason."""

import contextlib
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mitools.elf.command import main_elfmi, main_mielf
from mitools.fcmp.command import main as main_fcmp
from mitools.image.map import map_text
from mitools.link.command import main as main_milink
from mitools.transfer.command import main_miget, main_miset
from mitools.weight.command import main as main_weight
from tests.mitools.images import damage, grid

TOOLS = {
    "miset": (main_miset, "image out map symbol order data value arch"),
    "miget": (main_miget, "image map symbol order data npy text list arch"),
    "mielf": (main_mielf, "image elf arch"),
    "elfmi": (main_elfmi, "elf image arch"),
    "weight": (main_weight, "image map arch"),
    "milink": (main_milink, "image out at arch"),
    "fcmp": (main_fcmp, "a b aformat bformat limit report"),
}
VALUES = st.one_of(
    st.sampled_from(
        ["a.img", "a.map", "a.bin", "broken.img", "new", "", "grid.a", "b", "*", "0", "1.5", "sdr"]
    ),
    st.sampled_from(["y x n _word", "y<2", "[", "sp", "1,2", "nan", "0x10", ".", "-1", "é\x00"]),
    st.text(st.characters(exclude_characters="/"), max_size=8),
)
SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def run(main, terms: list[str]) -> tuple[int, str]:
    error = io.StringIO()
    with contextlib.redirect_stderr(error), contextlib.redirect_stdout(io.StringIO()):
        status = main(terms)
    return status, error.getvalue()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fill(folder, seed: int = 0) -> None:
    image = grid()
    image.save("a.img")
    (folder / "a.map").write_text(map_text(image))
    (folder / "a.bin").write_bytes(bytes(72))
    (folder / "broken.img").write_bytes(damage((folder / "a.img").read_bytes(), seed))


@pytest.mark.parametrize("tool", sorted(TOOLS))
@given(data=st.data())
@SETTINGS
def test_any_terms(folder, tool, data):
    main, keys = TOOLS[tool]
    fill(folder)
    word = st.sampled_from(keys.split())
    terms = data.draw(
        st.lists(st.one_of(word, st.builds("{}={}".format, word, VALUES), VALUES), max_size=6)
    )
    status, error = run(main, terms)
    assert status in (0, 1)
    assert (status == 1) == ("error:" in error) or "help" in terms or "version" in terms
    assert "internal error" not in error and "Traceback" not in error


@given(data=st.binary(max_size=200), seed=st.integers(0, 1 << 30))
@SETTINGS
def test_any_contents(folder, data, seed):
    fill(folder, seed)
    (folder / "noise").write_bytes(data)
    for main, terms in (
        (main_miget, "image=noise list"),
        (main_miget, "image=broken.img list"),
        (main_mielf, "image=noise elf=out"),
        (main_mielf, "image=broken.img elf=out"),
        (main_elfmi, "elf=noise image=out"),
        (main_weight, "image=noise"),
        (main_weight, "image=broken.img"),
        (main_milink, "image=noise image=a.img at=9,9 out=out"),
        (main_miset, "image=noise symbol=b value=1 out=out"),
    ):
        status, error = run(main, terms.split())
        assert status == 1, terms
        assert "error:" in error and "internal error" not in error
    assert not (folder / "out").exists()


@given(text=st.text(max_size=200))
@SETTINGS
def test_any_map(folder, text):
    fill(folder)
    (folder / "a.map").write_bytes(text.encode("utf-8", "surrogatepass"))
    status, error = run(main_miget, ["image=a.img", "map=a.map", "symbol=b", "text"])
    assert status in (0, 1)
    assert "internal error" not in error
