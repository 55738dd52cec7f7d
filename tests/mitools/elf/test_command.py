import pytest

from mitools.elf.command import main_elfmi, main_mielf
from tests.mitools.images import grid


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    grid().save("bench.img")
    return tmp_path


def test_there_and_back_is_the_same_file(folder):
    assert main_mielf(["image=bench.img", "elf=bench.elf", "arch=sdr"]) == 0
    assert main_elfmi(["elf=bench.elf", "image=back.img", "arch=sdr"]) == 0
    assert (folder / "back.img").read_bytes() == (folder / "bench.img").read_bytes()


@pytest.mark.parametrize(
    ("main", "terms", "reason"),
    [
        (main_mielf, "image=gone.img elf=bench.elf", "cannot read `gone.img`"),
        (main_mielf, "image=bench.img", "`elf=` is missing"),
        (main_mielf, "image=bench.img elf=no/bench.elf", "the folder `no` does not exist"),
        (main_mielf, "imag=bench.img elf=bench.elf", "did you mean `image`?"),
        (main_elfmi, "elf=bench.img image=bench.core", "mielf makes an ELF of it"),
        (main_elfmi, "elf=. image=bench.core", "it is a folder"),
        (main_elfmi, "elf=bench.img image=bench.core arch=x", "is no machine we know"),
    ],
)
def test_mistakes_leave_no_output(folder, capsys, main, terms, reason):
    assert main(terms.split()) == 1
    error = capsys.readouterr().err
    assert reason in error and "Traceback" not in error
    assert [p.name for p in folder.iterdir()] == ["bench.img"]


def test_a_failed_command_removes_its_stale_output(folder, capsys):
    (folder / "bench.elf").write_text("old")
    (folder / "bench.img").write_text("broken")
    assert main_mielf(["image=bench.img", "elf=bench.elf"]) == 1
    assert not (folder / "bench.elf").exists()
