import os
import stat

import pytest

from mitools.console import UserError, read_bytes, read_text, write_bytes, write_text, writing
from mitools.console.files import claim, forget_claims, remove_claimed


def names(folder) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out"
    path.write_text("old")

    def fail():
        with writing(str(path)) as file:
            file.write(b"new")
            assert path.read_text() == "old"
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["out"]
    write_bytes(str(path), b"new")
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["out"]


def test_permissions_are_those_of_the_old_file_or_of_the_umask(tmp_path):
    path = tmp_path / "out"
    old = os.umask(0o027)
    try:
        write_text(str(path), "φ")
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o755)
    write_text(str(path), "b")
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_text(str(tmp_path / "link"), "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_devices_are_written_directly():
    write_bytes("/dev/null", b"gone")
    claim("/dev/null")
    remove_claimed()
    assert os.path.exists("/dev/null")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("gone/out", "the folder `gone` does not exist"),
        (".", "is a folder, not a file to write"),
        ("a\0b", "null byte"),
        ("x" * 300, "File name too long"),
        ("/dev/full", "No space left"),
    ],
)
def test_why_a_file_cannot_be_written(tmp_path, monkeypatch, path, reason):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=reason):
        write_bytes(path, b"data" * 10000)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", "the name is empty"),
        ("gone/in", "the folder `gone` does not exist"),
        ("bench.imag", "it does not exist"),
        (".", "it is a folder"),
        ("a\0b", "null byte"),
        ("bench.img/x", "does not exist|Not a directory"),
    ],
)
def test_why_a_file_cannot_be_read(tmp_path, monkeypatch, path, reason):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench.img").write_text("")
    with pytest.raises(UserError, match=reason) as caught:
        read_bytes(path)
    if path == "bench.imag":
        assert caught.value.remedy == "did you mean `bench.img`?"


def test_bytes_that_are_no_text_are_placed(tmp_path):
    path = tmp_path / "a.w"
    path.write_bytes("\ufeffφ = 1\nαβ ".encode() + b"\xff rest")
    with pytest.raises(UserError, match="byte 0xff is not UTF-8 text") as caught:
        read_text(str(path))
    assert caught.value.place == (str(path), 2, 4, None)
    path.write_bytes("\ufeffφ".encode())
    assert read_text(str(path)) == "φ"


def test_claimed_outputs_go_when_the_command_fails(tmp_path):
    path = tmp_path / "stale"
    path.write_text("old")
    claim(str(path))
    forget_claims()
    remove_claimed()
    assert path.exists()
    claim(str(path))
    claim(str(tmp_path / "never written"))
    remove_claimed()
    assert not path.exists()
