"""`python -m benchmarks`: every benchmark, or those named. Status 1 when a goal is missed."""

import sys

from benchmarks import grids, tools
from benchmarks.measure import CommandFailed, Figure

BENCHMARKS = {
    "start": tools.start,
    "pipeline": tools.pipeline,
    "paint": tools.paint,
    "heat": grids.heat,
    "shallow": grids.shallow,
    "large": grids.large,
}


def line(figure: Figure) -> str:
    goal = ""
    if figure.least is not None:
        goal = f"at least {figure.least:g}"
    elif figure.most is not None:
        goal = f"at most {figure.most:g}"
    verdict = (", good" if figure.good else ", MISSED") if goal else ""
    return f"{figure.name:28} {figure.value:12.3f} {figure.unit:20} {goal}{verdict}"


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
        return 1
    status = 0
    for name in names or BENCHMARKS:
        try:
            for figure in BENCHMARKS[name]():
                print(line(figure), flush=True)
                status |= not figure.good
        except CommandFailed as error:
            print(f"{name}: {error}", flush=True)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
