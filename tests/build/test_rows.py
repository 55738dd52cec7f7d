"""test.mk: rows of test.rc, with tools that only note their calls."""

import pytest
from lesson_folder import Lesson


def verdicts(text: str) -> list[str]:
    """The lines with pass or fail, without their times."""
    lines = [line.split("  (")[0] for line in text.splitlines()]
    return [line for line in lines if line.startswith(("pass", "fail"))]


def test_default_is_to_check_every_row(lesson: Lesson) -> None:
    text = lesson.make()
    assert verdicts(text) == ["pass  test-first", "pass  test-second"]
    assert text.splitlines()[-1] == "2 passed, 0 failed"
    assert "image N=5" in lesson.read("test-second/make-log")
    assert lesson.read("test-first/bench.map") == "map N=4"


def test_rows_run_in_their_folder_as_documented(lesson: Lesson) -> None:
    lesson.make()
    assert lesson.calls("paint")[0].startswith(
        "paint [source=../bench.paint] [lib=.] [lib=..] [set=N=4] [arch=sdr]"
    )


@pytest.mark.parametrize(
    ("selection", "rows"),
    [
        ("*", "test-first test-second test-third"),
        ("second", "test-second"),
        ("fast", "test-first test-third"),
        ("2", "test-second"),
        ("f*", "test-first test-third"),
        ("first third", "test-first test-third"),
        ("s?cond,1", "test-first test-second"),
    ],
)
def test_selection(lesson: Lesson, selection: str, rows: str) -> None:
    lesson.write("test.rc", "fast first N=4\nslow second N=5\nslow fast third N=6\n")
    text = lesson.make(f"TEST={selection}")
    assert [line.split()[1] for line in verdicts(text)] == rows.split()


def test_selection_of_nothing_is_an_error(lesson: Lesson) -> None:
    assert "TEST='nowhere'" in lesson.make("TEST=nowhere", status=2)


def test_failing_row_fails_the_check_and_others_run(lesson: Lesson) -> None:
    lesson.write("Makefile", "include $(FLUTEMK)\ninclude $(TESTMK)\ntest:\n\ttest $(N) != 4\n")
    text = lesson.make("check", status=2)
    assert verdicts(text) == ["fail  test-first", "pass  test-second"]
    assert "1 passed, 1 failed" in text
    assert "test 4 != 4" in text  # the end of the log is shown


def test_command_line_wins_over_the_row(lesson: Lesson) -> None:
    lesson.write("test.rc", "first N=4 ARCH=sdr\n")
    lesson.make("N=9", "TEST=1", "ARCH=sdr")
    assert "[set=N=9] [arch=sdr]" in lesson.calls("paint")[0]


def test_first_row_gives_defaults_outside_rows(lesson: Lesson) -> None:
    lesson.make("bench.obj")
    assert "[set=N=4]" in lesson.calls("paint")[0]
    lesson.make("bench.obj", "N=8")
    assert "[set=N=8]" in lesson.calls("paint")[0]


def test_first_row_may_choose_what_the_rules_have_defaults_for(lesson: Lesson) -> None:
    lesson.write("test.rc", "first N=4 SIMFABRIC=other-simulator\nsecond N=5\n")
    lesson.make("bench-sim.core")
    assert lesson.calls("other-simulator") and not lesson.calls("simfabric")
    lesson.make("check", "TEST=second")
    assert lesson.calls("simfabric") and not lesson.calls("other-simulator")


def test_a_makefile_that_sets_a_value_keeps_it_outside_rows(lesson: Lesson) -> None:
    lesson.write(
        "Makefile", "N = 7\ninclude $(FLUTEMK)\ninclude $(TESTMK)\nPAINTVARS = N\ntest: bench.obj\n"
    )
    lesson.make("bench.obj")
    assert "[set=N=7]" in lesson.calls("paint")[0]
    lesson.make("check", "TEST=1")
    assert "[set=N=4]" in lesson.calls("paint")[0]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("first N=4 M=$$((3*N))", "[set=N=4] [set=M=12]"),
        ("first N=4 M=$$(( 3 * N ))", "[set=N=4] [set=M=12]"),
        ("first N=4 M='$$((3 * N))' # tail", "[set=N=4] [set=M=12]"),
        ("first N=4 M=$(N)1", "[set=N=4] [set=M=41]"),
        ("  first \t N=4   M=1\r", "[set=N=4] [set=M=1]"),
        ("first N=4 \\\n  M=2", "[set=N=4] [set=M=2]"),
        ('first N="4" M=', "[set=N=4] [set=M=]"),
        ("first N=4 M=0 PAINTFLAGS='lib=../x lib=../y'", "[lib=../x] [lib=../y]"),
        ('first N=4 M=0 "PAINTFLAGS=lib=../x lib=../y"', "[lib=../x] [lib=../y]"),
        ("first N=4 M=0 PAINTFLAGS=lib=../x\\ lib=../y", "[lib=../x] [lib=../y]"),
        ("first N=4 M=a#b", "[set=M=a#b]"),
        ("first N:=4 M=1", "[set=N=4] [set=M=1]"),
    ],
)
@pytest.mark.parametrize("inside", [True, False])
def test_values_of_rows(lesson: Lesson, row: str, expected: str, inside: bool) -> None:
    lesson.write("test.rc", f"# comment\n\n{row}\n")
    lesson.write(
        "Makefile",
        "include $(FLUTEMK)\ninclude $(TESTMK)\nPAINTVARS = N M\ntest: bench.obj\n",
    )
    # Outside a row N is no environment variable unless the Makefile exports it.
    lesson.make("check" if inside else "bench.obj", **({} if inside else {"N": "4"}))
    assert expected in lesson.calls("paint")[0]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("first N='4", "test.rc:2: the quote ' is not closed"),
        ("first N=$$((4)", "test.rc:2: a parenthesis is not closed"),
        ("N=4 M=5", "test.rc:2: a row without a label; write: label N=4"),
        ("first N=4 5", "test.rc:2: '5' stands after the values"),
        ("fi/rst N=4", "test.rc:2: 'fi/rst' is no label"),
    ],
)
def test_mistakes_in_test_rc(lesson: Lesson, row: str, message: str) -> None:
    lesson.write("test.rc", f"ok N=1\n{row}\n")
    assert message in lesson.make("check", status=2)


def test_rows_with_one_label_twice_are_numbered(lesson: Lesson) -> None:
    lesson.write("test.rc", "tutorial N=4\nother N=5\ntutorial N=6\n")
    text = lesson.make("check")
    assert verdicts(text) == ["pass  test-1", "pass  test-other", "pass  test-3"]
    text = lesson.make("check", "TEST=tutorial")
    assert verdicts(text) == ["pass  test-1", "pass  test-3"]


@pytest.mark.parametrize(
    ("folder", "value"),
    [("test-first", "4"), ("test-second", "5"), ("test-2", "5"), ("test-1", "4")],
)
def test_one_file_of_a_row(lesson: Lesson, folder: str, value: str) -> None:
    lesson.make(f"{folder}/bench-sim.core", f"{folder}/bench.map")
    assert lesson.read(f"{folder}/bench-sim.core") == f"image N={value}"
    assert len(lesson.calls("paint")) == 1
    lesson.make(f"{folder}/bench-sim.core", f"{folder}/bench.map")
    assert not lesson.calls()
    lesson.make(f"{folder}/bench.obj", "N=77")
    assert lesson.read(f"{folder}/bench.obj") == "image N=77"


def test_one_file_of_a_row_that_is_there_already_is_made_by_the_row(lesson: Lesson) -> None:
    lesson.make("test-second/bench.obj")
    lesson.make("test-second/bench.img")
    assert lesson.read("test-second/bench.img") == "image N=5"
    assert not lesson.exists("bench.obj")


def test_one_file_of_no_row(lesson: Lesson) -> None:
    assert "no row for test-third" in lesson.make("test-third/bench.obj", status=2)
    assert not lesson.exists("test-third")


def test_cores_go_after_a_passed_row(lesson: Lesson) -> None:
    lesson.make("check")
    assert not lesson.exists("test-first/bench-sim.core")
    assert lesson.exists("test-first/bench-sim.log")
    lesson.make("test-first/bench-sim.core")
    assert lesson.exists("test-first/bench-sim.core")


@pytest.mark.parametrize(
    "line", [".PRECIOUS: %-sim.core", ".PRECIOUS: %.x bench-sim.core", ".SECONDARY:"]
)
def test_precious_cores_stay(lesson: Lesson, line: str) -> None:
    (lesson.folder / "Makefile").open("a").write(line + "\n")
    lesson.make("check")
    assert lesson.exists("test-first/bench-sim.core")


def test_core_of_a_failed_row_stays(lesson: Lesson) -> None:
    (lesson.folder / "Makefile").open("a").write("\tfalse\n")
    lesson.make("check", status=2)
    assert lesson.exists("test-first/bench-sim.core")


def test_products_of_the_lesson_folder_are_not_a_rows(lesson: Lesson) -> None:
    lesson.make("bench-sim.core", "N=1")
    lesson.make("check", "TEST=second")
    assert "image N=5" in lesson.read("test-second/make-log")
    # Also when the row's own are gone and the folder's are newer.
    (lesson.folder / "test-second/bench.obj").unlink()
    lesson.make("bench-sim.core", "N=2")
    lesson.make("check", "TEST=second")
    assert "image N=5" in lesson.read("test-second/make-log")


def test_changed_row_is_built_again(lesson: Lesson) -> None:
    lesson.make("check")
    lesson.write("test.rc", "first N=14\n")
    lesson.make("check")
    assert "image N=14" in lesson.read("test-first/make-log")


def test_child_folders_are_checked(lesson: Lesson) -> None:
    for child, command in [("a", "true"), ("b", "false"), ("c", "true")]:
        lesson.write(f"all/{child}/test.rc", "only K=1\n")
        lesson.write(f"all/{child}/Makefile", f"include $(TESTMK)\ntest:\n\t{command}\n")
    lesson.write("all/data/Makefile", "data:\n\techo data\n")  # has no check
    lesson.write("all/d/Makefile", "$(error not this one)\n")
    lesson.write("all/e/Makefile", "include $(TESTMK)\ntest:\n\techo no rows\n")
    lesson.write("all/Makefile", "include $(TESTMK)\n")
    for terms in [(), ("-j4",)]:
        text = lesson.make(*terms, folder="all", status=2)
        assert sorted(verdicts(text)) == sorted(
            ["pass  a/test-only", "fail  b/test-only", "pass  c/test-only", "fail  d", "pass  e"]
        )
        assert text.splitlines()[-2] == "3 passed, 2 failed"


def test_row_that_checks_something_itself_counts_alone(lesson: Lesson) -> None:
    lesson.write("Makefile", "include $(TESTMK)\ntest:\n\t$(MAKE) -C ../inner check TEST=only\n")
    lesson.write("inner/test.rc", "only K=1\n")
    lesson.write("inner/Makefile", "include $(TESTMK)\ntest:\n\ttrue\n")
    lesson.write("test.rc", "outer K=1\n")
    text = lesson.make("check", "TEST=outer")
    assert verdicts(text) == ["pass  test-outer"]
    assert text.splitlines()[-1] == "1 passed, 0 failed"
    assert "pass  test-only" in lesson.read("test-outer/make-log")


def test_foreign_folder_finds_test_rc_and_never_recurses(lesson: Lesson) -> None:
    for folder in ("run", "test-foreign"):
        (lesson.folder / folder).mkdir()
        lesson.write(f"{folder}/sub/Makefile", "check:\n\techo recursed; false\n")
        borrow = ("-f", "../Makefile", "-C", folder, "VPATH=..")
        lesson.make(*borrow, "bench.img")
        assert lesson.read(f"{folder}/bench.img") == "image N=4"
        lesson.make(*borrow, "bench.img", "N=6")
        assert lesson.read(f"{folder}/bench.img") == "image N=6"
        text = lesson.make(*borrow, "check", "N=7")
        assert "recursed" not in text and not verdicts(text)
        assert "image N=7" in text


def test_row_folder_entered_by_hand_has_the_rows_values(lesson: Lesson) -> None:
    lesson.make("test-second/bench.obj")
    lesson.make("-f", "../Makefile", "VPATH=..", "bench.img", folder="test-second")
    assert lesson.read("test-second/bench.img") == "image N=5"


def test_default_in_a_row_folder_is_the_users(lesson: Lesson) -> None:
    lesson.write("Makefile", "include $(TESTMK)\nall:\n\t@echo own all\n")
    lesson.make("check", "-k", status=2)  # has no test
    text = lesson.make("-f", "../Makefile", "VPATH=..", folder="test-first")
    assert text == "own all\n"


def test_users_all_test_and_clean_stay_the_users(lesson: Lesson) -> None:
    lesson.write(
        "Makefile",
        "all:\n\t@echo own all\ntest:\n\t@echo own test\nclean:\n\t@echo own clean\n"
        "include $(FLUTEMK)\ninclude $(TESTMK)\n",
    )
    assert lesson.make("all", "test", "clean") == "own all\nown test\nown clean\n"


def test_sysroot_form(lesson: Lesson) -> None:
    build = lesson.environment["FLUTEMK"].removesuffix("/share/build/flute.mk")
    carbide = lesson.calls_file.parent / "carbide"
    carbide.write_text(f"#!/bin/sh\n[ $1 = sysroot ] && echo {build}\n")
    carbide.chmod(0o755)
    lesson.write(
        "Makefile",
        "SYSROOT ?= $(shell carbide sysroot)\nFLUTEMK := $(SYSROOT)/share/build/flute.mk\n"
        "TESTMK := $(SYSROOT)/share/build/test.mk\ninclude $(FLUTEMK)\ninclude $(TESTMK)\n"
        "PAINTVARS = N\ntest: bench-sim.core\n",
    )
    lesson.environment = {
        k: v for k, v in lesson.environment.items() if k not in ("FLUTEMK", "TESTMK")
    }
    assert sorted(verdicts(lesson.make("-j2"))) == ["pass  test-first", "pass  test-second"]


def test_dry_run_prints_and_makes_nothing(lesson: Lesson) -> None:
    text = lesson.make("-n", "check")
    assert "-C test-first VPATH=.. N=4 test" in text
    assert not lesson.exists("test-first")


def test_cleanup(lesson: Lesson) -> None:
    lesson.write("child/Makefile", "include $(TESTMK)\ntest:\n\ttrue\n")
    lesson.write("child/test.rc", "only K=1\n")
    lesson.write("test-data/input.bin", "mine")
    lesson.write("other.map", "mine")
    before = sorted(str(p) for p in lesson.folder.rglob("*"))
    lesson.make("check")
    lesson.make("bench-sim.core", "bench-listing.json", "test-2/bench.obj")
    lesson.make("cleanup")
    assert sorted(str(p) for p in lesson.folder.rglob("*")) == before


def test_parallel_rows_share_the_jobs(lesson: Lesson) -> None:
    rows = "".join(f"row{k} N={k}\n" for k in range(12))
    lesson.write("test.rc", rows)
    text = lesson.make("-j4", "check")
    assert "jobserver" not in text
    assert text.splitlines()[-1] == "12 passed, 0 failed"
    assert all(f"image N={k}" in lesson.read(f"test-row{k}/make-log") for k in range(12))


def test_strict_shell_of_the_user(lesson: Lesson) -> None:
    text = (lesson.folder / "Makefile").read_text()
    lesson.write("Makefile", ".SHELLFLAGS := -eu -o pipefail -c\n.ONESHELL:\n" + text)
    assert lesson.make().splitlines()[-1] == "2 passed, 0 failed"
    assert "0 passed, 2 failed" in lesson.make("check", "N=8", status=2, FAIL_TOOL="weight")


def test_without_rows_the_check_is_the_test(lesson: Lesson) -> None:
    (lesson.folder / "test.rc").unlink()
    assert "image N=3" in lesson.make("N=3")
    assert lesson.make(status=2, N="4", FAIL_TOOL="weight")
