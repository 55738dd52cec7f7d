"""A default, then a conditional overwrite: every form of it, on every kind of number.

The program is written here: for each type, a default (copy, literal, expression), a branch
(literal, variable, expression), a form (if, if/else, ternary; on elements and in a scalar) and a
comparison. Numbers are compared bit for bit: −0.0 is not +0.0.
"""

import operator
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import simfabric
from mitools.image.model import Image
from paint.command import main as paint
from tests.programs.bench import same_bits

DTYPES = {
    "sp": np.float32, "hp": np.float16, "xp": np.int16, "u16": np.uint16, "i32": np.int32,
    "u32": np.uint32,
}  # fmt: skip
COMPARE = {
    ">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
FLOATS = [
    0.0, -0.0, 1.0, -1.0, 2.5, np.inf, -np.inf, np.nan, "least", "-least", "greatest", 0.1, -3.0,
]  # fmt: skip
WHOLES = [0, 1, 2, 3, 7, 100, 32767, "top", "bottom", 0xFF, 5]
LITERAL = {
    "sp": ("0.75", "-0.0"), "hp": ("0.75", "-0.0"), "xp": ("-7", "300"),
    "u16": ("7", "40000"), "i32": ("-70000", "9"), "u32": ("70000", "9"),
}  # fmt: skip
DEFAULTS = ["copy", "literal", "expression"]
BRANCHES = ["literal", "variable", "expression"]
FORMS = ["if", "if else", "ternary", "scalar", "nested"]


def values(type_: str) -> np.ndarray:
    """Interesting numbers of a type."""
    dtype = DTYPES[type_]
    if type_ in ("sp", "hp"):
        info = np.finfo(dtype)
        special = {"least": info.smallest_subnormal, "-least": -info.smallest_subnormal,
                   "greatest": info.max}  # fmt: skip
        return np.array([special.get(v, v) if isinstance(v, str) else v for v in FLOATS], dtype)
    info = np.iinfo(dtype)
    special = {"top": info.max, "bottom": info.min}
    return np.array([special.get(v, v) for v in WHOLES]).astype(dtype)


class Case:
    """One result array `h` of a program, with its statements and its mirror."""

    def __init__(self, number: int, type_: str, default: str, branch: str, form: str, sign: str):
        self.name, self.type, self.form, self.sign = f"h{number}", type_, form, sign
        self.default, self.branch = default, branch
        first, second = LITERAL[type_]
        zero = f"0.0:{type_}" if type_ in ("sp", "hp") else "2"
        self.zero = DTYPES[type_](0.0 if type_ in ("sp", "hp") else 2)
        self.left = {"copy": "b[i]", "literal": first, "expression": "b[i] + c[i]"}[default]
        self.right = {"literal": second, "variable": "a[i]", "expression": "a[i] - c[i]"}[branch]
        self.test = f"v[i] {sign} {zero}"

    def text(self) -> str:
        h, left, right, test = f"{self.name}[i]", self.left, self.right, self.test
        return {
            "if": f"∀i {{ {h} <- {left}; if ({test}) {{ {h} <- {right}; }} }}",
            "if else": f"∀i {{ if ({test}) {{ {h} <- {right}; }} else {{ {h} <- {left}; }} }}",
            "ternary": f"∀i {h} <- {test} ? {right} : {left};",
            "scalar": f"∀i {{ {self.type} s = {left}; if ({test}) s = {right}; {h} <- s; }}",
            "nested": f"∀i {{ {h} <- {left}; if ({test}) if (v[i] == v[i]) {h} <- {right}; }}",
        }[self.form]

    def expected(self, v: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        dtype = DTYPES[self.type]
        first, second = (np.full(v.shape, float(text)).astype(dtype) for text in LITERAL[self.type])
        with np.errstate(all="ignore"):
            left = {"copy": b, "literal": first, "expression": b + c}[self.default]
            right = {"literal": second, "variable": a, "expression": a - c}[self.branch]
            taken = COMPARE[self.sign](v, self.zero)
            if self.form == "nested":
                taken &= v == v
        return np.where(taken, right, left).astype(dtype)


def cases(type_: str) -> list[Case]:
    """Every default, branch and form with two comparisons each, all comparisons in turn."""
    signs = list(COMPARE)
    found = []
    for k, (default, branch, form) in enumerate(product(DEFAULTS, BRANCHES, FORMS)):
        found.append(Case(2 * k, type_, default, branch, form, signs[k % 6]))
        found.append(Case(2 * k + 1, type_, default, branch, form, signs[(k + 1 + k // 6) % 6]))
    return found


@pytest.mark.parametrize("type_", DTYPES)
def test_every_form(type_: str, tmp_path: Path) -> None:
    some = values(type_)
    v, a = (part.ravel() for part in np.meshgrid(some, some[::2]))
    random = np.random.default_rng(8)
    b, c = random.permutation(a), random.permutation(v)
    forms = cases(type_)
    names = ", ".join(f"{case.name}[n=N]" for case in forms)
    source = [f"xp param N;\n{type_} v[n=N], a[n=N], b[n=N], c[n=N];\n{type_} {names};"]
    source += ["{\n    let i in [0, N);", *(f"    {case.text()}" for case in forms), "}\n"]
    (tmp_path / "selects.w").write_text("\n".join(source))
    (tmp_path / "bench.paint").write_text(f"code(tile() 'selects [N:{v.size}])\n")
    image = f"{tmp_path}/bench.obj"
    assert paint([f"source={tmp_path}/bench.paint", f"lib={tmp_path}", f"image={image}"]) == 0
    opened = Image.open(image)
    for name, array in (("v", v), ("a", a), ("b", b), ("c", c)):
        opened.set(name, array.reshape(1, 1, -1))
    result = simfabric.run(opened)
    assert result.reason == "quiet" and result.error is None, str(result)
    for case in forms:
        found = np.asarray(result.core.get(case.name)).reshape(-1)
        expected = case.expected(v, a, b, c)
        if type_ in ("sp", "hp"):  # which NaN an operation gives is not said
            both = np.isnan(found) & np.isnan(expected)
            found, expected = np.where(both, 0, found), np.where(both, 0, expected)
        same_bits(found.astype(DTYPES[type_]), expected.astype(DTYPES[type_]), case.text())
