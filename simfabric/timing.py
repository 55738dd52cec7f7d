"""A user's timing file (`timing=file`): TOML that replaces values of the machine's timing table.

    hop = 3
    float_multiply_add = [1, 4]     # one element in four cycles

Names are the fields of `mitools.arch.model.Timing`; a rate is [elements, cycles].
"""

import tomllib
from typing import Any

from attrs import evolve, fields

from mitools.arch.model import Arch, Timing
from mitools.console import Place, UserError, UserErrors, read_text, suggestion

MOST_CYCLES = 1_000_000
ELEMENTS = (1, 2, 4, 8, 16)


def read_timing(path: str, arch: Arch) -> Arch:
    """The machine with the values of a timing file. Raises UserError(s) with the place."""
    text = read_text(path)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        remedy = "lines are name = value"
        raise UserError(f"this is no timing file: {error}", Place(path), remedy) from None
    errors: list[UserError] = []
    changes: dict[str, Any] = {}
    for name, value in values.items():
        known = {f.name: getattr(arch.timing, f.name) for f in fields(Timing)}
        line = _line_of(text, name)
        place = Place(path, line, 1, len(name) + 1) if line else Place(path)
        if name not in known:
            errors.append(
                UserError(f"`{name}` is no timing of {arch.name}", place, suggestion(name, known))
            )
            continue
        try:
            changes[name] = _rate(value) if isinstance(known[name], tuple) else _cycles(value)
        except ValueError as error:
            errors.append(UserError(f"`{name}` {error}", place))
    if errors:
        raise UserErrors(errors) if len(errors) > 1 else errors[0]
    return evolve(arch, timing=evolve(arch.timing, **changes))


def _cycles(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_CYCLES:
        raise ValueError(f"must be a whole number of cycles, at most {MOST_CYCLES}")
    return value


def _rate(value: object) -> tuple[int, int]:
    if isinstance(value, list) and len(value) == 2 and value[0] in ELEMENTS:
        cycles = value[1]
        if isinstance(cycles, int) and not isinstance(cycles, bool) and 1 <= cycles <= MOST_CYCLES:
            return int(value[0]), cycles
    choices = ", ".join(map(str, ELEMENTS))
    raise ValueError(f"must be a rate [elements, cycles], elements one of {choices}")


def _line_of(text: str, name: str) -> int:
    for number, line in enumerate(text.split("\n"), 1):
        if line.split("=")[0].strip() == name:
            return number
    return 0
