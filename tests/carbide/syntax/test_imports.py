"""Imports come from the program's folder, then the lib= folders, once each."""

import pytest

from carbide.check import check
from carbide.lower import lower
from carbide.syntax import parse_source
from mitools.console import UserError


def write(folder, **files):
    for name, text in files.items():
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.w").write_text(text)
    return str(folder)


def test_each_file_comes_in_once(tmp_path):
    library = write(
        tmp_path / "lib",
        geometry="xp const W = 3; import shapes;",
        shapes="import geometry; function area(xp a) { return a*a; } xp count;",
    )
    here = write(tmp_path / "here", main="import shapes; import geometry, shapes; xp a[W]; "
                 "{ a[0] <- area(W) + count; }")  # fmt: skip
    program = lower(check(parse_source(f"{here}/main.w", [library])))
    assert [region.name for region in program.regions] == ["count", "a"]


def test_own_folder_before_libraries(tmp_path):
    library = write(tmp_path / "lib", size="xp const W = 3;")
    here = write(tmp_path / "here", size="xp const W = 5;", main="import size; xp a[n=W];")
    program = lower(check(parse_source(f"{here}/main.w", [library])))
    assert program.regions[0].dims == (("n", 5),)


def test_a_cycle_of_imports_ends(tmp_path):
    here = write(tmp_path, main="import other; xp a;", other="import main; xp b;")
    program = lower(check(parse_source(f"{here}/main.w")))
    assert [region.name for region in program.regions] == ["b", "a"]


def test_a_missing_import(tmp_path):
    library = write(tmp_path / "lib", geometry="xp a;")
    here = write(tmp_path / "here", main="import geometri;")
    with pytest.raises(UserError, match=r"no `geometri.w`") as error:
        parse_source(f"{here}/main.w", [library])
    assert "`geometry`" in error.value.remedy
    assert error.value.place[1:3] == (1, 1)


def test_a_mistake_in_an_import_names_its_file(tmp_path):
    here = write(tmp_path, main="import other;", other="xp a")
    with pytest.raises(UserError) as error:
        parse_source(f"{here}/main.w")
    assert error.value.place.file.endswith("other.w")


def test_an_unreadable_source(tmp_path):
    with pytest.raises(UserError):
        parse_source(str(tmp_path / "nothing.w"))
    (tmp_path / "bytes.w").write_bytes(b"xp a\xff\xfe;")
    with pytest.raises(UserError):
        parse_source(str(tmp_path / "bytes.w"))
