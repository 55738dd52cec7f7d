"""flute.mk: the rules from a layout to log and core, with tools that only note their calls."""

import os
import time
from pathlib import Path

import pytest
from lesson_folder import Lesson


def test_first_target_of_the_makefile_stays_the_default(lesson: Lesson) -> None:
    lesson.write("Makefile", "include $(FLUTEMK)\nall:\n\t@echo user default\n")
    assert lesson.make() == "user default\n"
    lesson.write("Makefile", "include $(FLUTEMK)\nall:\n\t@echo user default\nPAINTVARS = N\n")
    lesson.make("bench.obj", "N=1")
    assert lesson.make() == "user default\n"  # now with the noted dependencies included


def test_layout_becomes_core_in_the_documented_steps(lesson: Lesson) -> None:
    lesson.make("bench-sim.core", "N=3", "SIMFLAGS=cycles=1000")
    assert lesson.calls() == [
        "paint [source=bench.paint] [lib=.] [set=N=3] [arch=sdr] [verbose]"
        " [toolname] [w] [carbide] [toolname] [yeti] [carbide] [image=bench.obj] [map=bench.map]",
        "milink [image=bench.obj] [arch=sdr]",
        "weight [image=bench.obj] [map=bench.map] [arch=sdr]",
        "mielf [image=bench.img] [elf=bench.elf]",
        "simfabric [elf=bench.elf] [core=bench.elf-core] [json=0] [cycles=1000]",
        "elfmi [image=bench-sim.core] [elf=bench.elf-core]",
    ]
    assert lesson.read("bench-sim.core") == "image N=3"
    assert lesson.read("bench-sim.log") == "log of simfabric"
    assert not lesson.exists("bench.elf-core")
    lesson.make("bench-sim.core", "N=3", "SIMFLAGS=cycles=1000")
    assert lesson.calls() == []


def test_listing_has_a_rule(lesson: Lesson) -> None:
    lesson.make("bench-listing.json", "N=3")
    assert lesson.read("bench-listing.json") == "listing N=3"
    assert not lesson.exists("bench.obj")


def later(path: Path) -> None:
    now = time.time() + 5
    os.utime(path, (now, now))


@pytest.mark.parametrize("name", ["bench.paint", "send.w", "common.w", "lib/far.w", "part.paint"])
def test_touched_source_rebuilds(lesson: Lesson, name: str) -> None:
    lesson.write("bench.paint", 'include "part.paint"\n(code \'send [])\n')
    lesson.write("part.paint", "(code 'far.away [])\n(code 'far)\n")
    lesson.write("lib/far.w", "xp c;\n")
    lesson.write("unused.w", "xp c;\n")
    terms = ("bench.obj", "N=3", "PAINTFLAGS=lib=lib lib=nowhere")
    lesson.make(*terms)
    later(lesson.folder / "unused.w")
    lesson.make(*terms)
    assert not lesson.calls()
    later(lesson.folder / name)
    lesson.make(*terms)
    assert lesson.calls("paint")


def test_source_that_is_gone_is_no_error(lesson: Lesson) -> None:
    lesson.make("bench.obj", "N=3")
    (lesson.folder / "send.w").unlink()
    (lesson.folder / "common.w").unlink()
    lesson.make("bench.obj", "N=3")
    assert lesson.calls("paint")


def test_names_with_blanks_and_signs_are_found(lesson: Lesson) -> None:
    lesson.write("bench.paint", "(code 'Δx#² [])\n")
    source = lesson.write("Δx#².w", "xp a;\n")
    lesson.make("bench.obj")
    later(source)
    lesson.make("bench.obj")
    assert lesson.calls("paint")


def test_other_values_rebuild_and_equal_ones_do_not(lesson: Lesson) -> None:
    lesson.make("bench-sim.core", "N=3")
    lesson.make("bench-sim.core", "N=4")
    assert lesson.read("bench-sim.core") == "image N=4"
    lesson.make("bench-sim.core", "N=4", "SIMOPTS=cycles=9")
    assert [call.split()[0] for call in lesson.calls()] == ["simfabric", "elfmi"]


def test_shell_computes_values_and_lists_are_not_quoted(lesson: Lesson) -> None:
    lesson.write("Makefile", "include $(FLUTEMK)\nPAINTVARS = N M\nM = $$((2*N + $(N)))\n")
    lesson.make("bench.obj", "N=5")
    assert "[set=N=5] [set=M=15]" in lesson.calls("paint")[0]


def test_later_options_win(lesson: Lesson) -> None:
    lesson.write(
        "Makefile",
        "include $(FLUTEMK)\nPAINTVARS = N\nPAINTFLAGS = lib=../a lib=../b threads=1 verbose\n"
        "SIMFLAGS = cycles=100 json=1\n",
    )
    lesson.make("bench-sim.core", "N=1", "PAINTOPTS=threads=2 set=N=7", "SIMOPTS=cycles=5")
    (call,) = lesson.calls("paint")
    assert "[lib=.] [arch=sdr] [lib=../a] [lib=../b] [verbose] [threads=2] [set=N=7]" in call
    assert call.count("threads=") == call.count("set=N=") == call.count("verbose") == 1
    assert "[json=1] [cycles=5]" in lesson.calls("simfabric")[0]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("arch=sdr", "[arch=sdr]"),
        ("liveness ra_max_attempts=20", "[toolflag] [w] [liveness ra_max_attempts=20]"),
        ("toolflag w 'liveness recharge' arch=sdr", "[toolflag] [w] [liveness recharge]"),
        ("threads=3 recharge", "[threads=3] [toolflag] [w] [recharge]"),
    ],
)
def test_pipeline_flags(lesson: Lesson, flags: str, expected: str) -> None:
    lesson.make("bench-sim.core", "N=1", f"PIPELINEFLAGS={flags}")
    (call,) = lesson.calls("paint")
    assert expected in call
    assert call.count("arch=") == 1
    everywhere = all("[arch=sdr]" in call for call in lesson.calls() if not call.startswith("cp"))
    assert everywhere == ("arch=sdr" in flags)


def test_other_simulator(lesson: Lesson) -> None:
    lesson.make("bench-sim.core", "N=1", "SIMFABRIC=other-simulator")
    assert lesson.read("bench-sim.log") == "log of other-simulator"


def test_mode_that_does_not_exist_says_so(lesson: Lesson) -> None:
    lesson.make("bench.elf", "N=1", "MODE=hw")
    assert "only MODE=sim can run" in lesson.make("bench-sim.core", "N=1", "MODE=hw", status=2)


@pytest.mark.parametrize(
    "rule",
    [
        "%.img: %.obj %.map %-init.bin\n\techo own $^ > $@\n%-init.bin:\n\techo init > $@\n",
        "%.img: %.obj\n\techo own $< > $@\n",
        "bench.img: bench.obj bench.map\n\techo own $< > $@\n",
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_user_may_override_the_image_rule(lesson: Lesson, rule: str, first: bool) -> None:
    parts = ["include $(FLUTEMK)\n", rule]
    lesson.write("Makefile", "".join(parts if first else parts[::-1]) + "PAINTVARS = N\n")
    lesson.make("bench-sim.core", "N=1")
    assert lesson.read("bench-sim.core").startswith("own bench.obj")
    # Again with the object there, which makes the plain rule the nearer one.
    (lesson.folder / "bench.img").unlink()
    (lesson.folder / "bench-sim.core").unlink()
    lesson.make("bench-sim.core", "N=1")
    assert lesson.read("bench-sim.core").startswith("own bench.obj")


def test_failed_paint_leaves_nothing_and_stops(lesson: Lesson) -> None:
    lesson.write("bench.paint", "BROKEN")
    assert "broken" in lesson.make("bench-sim.core", "N=1", status=2)
    assert not lesson.exists("bench.obj") and not lesson.exists("bench.map")


def test_program_that_does_not_fit_leaves_no_object(lesson: Lesson) -> None:
    lesson.make("bench.obj", "N=1", status=2, FAIL_TOOL="weight")
    assert not lesson.exists("bench.obj")
    lesson.make("bench.obj", "N=1")


def test_failed_run_keeps_its_log_but_counts_for_nothing(lesson: Lesson) -> None:
    assert "machine error" in lesson.make("bench-sim.log", "N=1", status=2, FAIL_TOOL="simfabric")
    assert lesson.read("bench-sim.log") == "log of simfabric"
    lesson.make("bench-sim.log", "N=1")
    assert lesson.calls("simfabric")
    assert lesson.exists("bench-sim.core")


def test_tools_are_found_beside_the_rules(lesson: Lesson) -> None:
    lesson.write("Makefile", "include $(FLUTEMK)\nall:\n\t@echo $(PATH)\n")
    assert lesson.make().strip().endswith("sysroot-x86/bin")
