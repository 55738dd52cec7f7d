"""Numbers: valid by an independent judge, smallest by trying all, the same every time."""

import random
from itertools import product

import pytest

from mitools.arch.sdr import ARCH
from mitools.console import Place
from paint.colors.clash import clash
from paint.colors.problem import (
    Apart,
    Carried,
    Constraint,
    Meet,
    Problem,
    Same,
    Within,
    problem,
)
from paint.colors.solve import NoNumbers, compile_problem, greedy, numbers
from paint.evaluate.values import Color
from tests.paint.colors.checker import judge
from tests.paint.layouts import lay, mistake, solved

HERE = Place("t.paint", 1, 1)
MODIFIERS = ">HVX"


def random_layout(seed: int) -> tuple[str, dict[str, int]]:
    """A layout text and numbers that solve it: rules that they would break are left out."""
    dice = random.Random(seed)
    count = dice.randint(2, 26)
    given = [dice.randrange(24) for _ in range(count)]
    fixed = [dice.random() < 0.1 and given.index(n) == k for k, n in enumerate(given)]
    names = [f"c{k}" for k in range(count)]
    head = "".join(
        f"let {name} = color({number if fix else ''})\n"
        for name, number, fix in zip(names, given, fixed, strict=True)
    )
    width, height = dice.randint(1, 4), dice.randint(1, 4)
    body = f"let all = rect(0 0 {width} {height})\n"
    pairs = [
        (a, b)
        for a in range(count)
        for b in range(a)
        if given[a] == given[b] ^ 1 and dice.random() < 0.7
    ]
    body += "".join(f"all : colorpair({names[a]} {names[b]})\n" for a, b in pairs)
    if dice.random() < 0.3:
        body += f"all : mp({dice.randrange(2)})\n"
    known = dict(zip(names, given, strict=True))
    members = ["all"]
    text = f"{head}{body}union(all)\n"
    assert valid(text, known)
    for step in range(dice.randint(2, 9)):
        more, names_of_more = "", []
        for part in range(dice.randint(1, 4)):
            color = names[dice.randrange(count)]
            w, h = dice.randint(1, width), dice.randint(1, height)
            x, y = dice.randint(0, width - w), dice.randint(0, height - h)
            name = f"r{step}_{part}"
            names_of_more.append(name)
            use = f"code('{name} [s:{color}])"
            if dice.random() < 0.85:
                use = f"paint({color} {random_route(dice)})"
            more += f"let {name} = rect({x} {y} {w} {h}) {name} : {use}\n"
        trial = f"{head}{body}{more}union({' '.join([*members, *names_of_more])})\n"
        if valid(trial, known):
            body += more
            members += names_of_more
            text = trial
    return text, known


def random_route(dice: random.Random) -> str:
    modifier = dice.choice(MODIFIERS)
    positions = []
    for _ in range(dice.choice((1, 1, 1, 2))):
        outputs = "".join(s for s in "LRUDC" if dice.random() < 0.3) or "C"
        positions.append(f"{dice.choice('LRUDC')}{modifier}{outputs}")
    return f"[{' ; '.join(positions)}]"


def valid(text: str, known: dict[str, int]) -> bool:
    try:
        layout = lay(text)
    except Exception:
        return False
    return judge(layout, {color: known[color.label] for color in layout.colors}) is None


@pytest.mark.parametrize("block", range(10))
def test_random_layouts_with_known_solutions(block: int) -> None:
    for seed in range(block * 25, block * 25 + 25):
        text, known = random_layout(seed)
        layout = lay(text)
        question = problem(layout, ARCH)
        found = numbers(question)
        assert judge(layout, found) is None, text
        assert solved(lay(text)) == {c.label: n for c, n in found.items()}
        # Never larger than the known solution, in order of declaration.
        ours = [found[c] for c in layout.colors]
        assert ours <= [known[c.label] for c in layout.colors], text


def random_problem(seed: int) -> Problem:
    dice = random.Random(seed)
    size = dice.choice((2, 4, 6))
    colors = tuple(Color(k, HERE, name=f"c{k}") for k in range(dice.randint(2, 5)))
    constraints: list[Constraint] = []
    for _ in range(dice.randint(1, 7)):
        kind = dice.random()
        some = dice.sample(colors, dice.randint(2, len(colors)))
        if kind < 0.4:
            constraints.append(Meet({c: Carried("is", HERE) for c in some}, 0, 0))
        elif kind < 0.6:
            constraints.append(Same(some[0], some[1], HERE))
        elif kind < 0.75:
            constraints.append(Apart(some[0], some[1], 0, 0, HERE, HERE))
        else:
            few = frozenset(dice.sample(range(size), dice.randint(1, size)))
            constraints.append(Within(some[0], few, "switch", "is", HERE))
    return Problem(colors, size, tuple(constraints), None)


def satisfies(found: dict[Color, int], constraint: Constraint) -> bool:
    if isinstance(constraint, Meet):
        values = [found[c] for c in constraint.carried]
        return len(set(values)) == len(values)
    if isinstance(constraint, Same):
        return found[constraint.first] == found[constraint.second] ^ 1
    if isinstance(constraint, Apart):
        return found[constraint.other] != found[constraint.swapped] ^ 1
    return found[constraint.color] in constraint.numbers


def first_of_all(colors: list[Color], size: int, constraints: list[Constraint]):
    for values in product(range(size), repeat=len(colors)):
        found = dict(zip(colors, values, strict=True))
        if all(satisfies(found, c) for c in constraints):
            return found
    return None


def test_the_smallest_of_all_solutions_or_none() -> None:
    unsolvable = searched = 0
    for seed in range(400):
        question = random_problem(seed)
        expected = first_of_all(list(question.colors), question.size, list(question.constraints))
        if expected is None:
            unsolvable += 1
            with pytest.raises(NoNumbers):
                numbers(question)
            continue
        compiled = compile_problem(question.colors, question.size, question.constraints)
        searched += greedy(compiled) is None
        assert numbers(question) == expected, seed
    assert unsolvable > 40 and searched > 0


def test_a_clash_is_needed_whole() -> None:
    seen = 0
    for seed in range(300):
        question = random_problem(seed)
        if first_of_all(list(question.colors), question.size, list(question.constraints)):
            continue
        seen += 1
        colors, constraints = clash(question)
        assert first_of_all(colors, question.size, constraints) is None
        for left_out in constraints:
            fewer = [c for c in constraints if c is not left_out]
            assert first_of_all(colors, question.size, fewer) is not None
    assert seen > 30


def test_forty_colors_over_overlapping_regions() -> None:
    lines = [f"let c{k} = color()" for k in range(40)]
    lines += [
        f"let r{k} = rect({k} 0 12 3) r{k} : paint(c{k} [L|L>R|R])" for k in range(40)
    ]  # fmt: skip
    lines.append("union(" + " ".join(f"r{k}" for k in range(40)) + ")")
    found = solved(lay("\n".join(lines)))
    assert [found[f"c{k}"] for k in range(40)] == [k % 12 for k in range(40)]


def overlapping(seed: int) -> str:
    """Forty colors with rules of all kinds on overlapping regions, some in pairs, some bank on."""
    dice = random.Random(seed)
    side = dice.choice([6, 10, 20])
    kinds = ["[L|L>R|R]", "[D|D>UC|U]", "[CXR|R]", "[L|L>R|R ; C>R|R]", "[C>]", "[L|LHC]"]
    lines = [f"let c{k} = color()" for k in range(40)]
    for k in range(40):
        w, h = dice.randint(1, side // 2 + 1), dice.randint(1, side // 2 + 1)
        x, y = dice.randint(0, side - w), dice.randint(0, side - h)
        rule = f"paint(c{k} {dice.choice(kinds)})"
        lines.append(f"let r{k} = rect({x} {y} {w} {h}) r{k} : {rule}")
        if k % 2 and dice.random() < 0.4:
            lines.append(f"r{k} : colorpair(c{k} c{k - 1})")
    lines.append(f"let b = rect(0 0 {side // 2} {side}) b : mp({dice.randint(0, 1)})")
    return "\n".join([*lines, "union(b " + " ".join(f"r{k}" for k in range(40)) + ")"])


def test_forty_colors_where_greed_does_not_do() -> None:
    """Random ones, some of which need a search or have no numbers: never a wrong answer."""
    outcomes = set()
    for seed in range(12):
        layout = lay(overlapping(seed))
        question = problem(layout, ARCH)
        compiled = compile_problem(question.colors, question.size, question.constraints)
        try:
            found = numbers(question)
        except NoNumbers:
            outcomes.add("none")
            continue
        assert judge(layout, found) is None, seed
        outcomes.add("greedy" if greedy(compiled) else "search")
    assert outcomes >= {"greedy", "search"}


def test_numbers_that_need_a_search() -> None:
    """Taking the smallest for one after the other gets stuck: the last one must switch."""
    lines = [f"let c{k} = color()" for k in range(16)] + ["let t = tile()"]
    lines += [f"t : paint(c{k} [L>R])" for k in range(15)]
    lines += ["t : paint(c15 [L>R ; C>R])"]
    layout = lay("\n".join([*lines, "t : mp(1)", "t"]))
    found = numbers(problem(layout, ARCH))
    assert judge(layout, found) is None
    values = [found[c] for c in layout.colors]
    assert values == [*range(15), 16]
    lines += [f"t : paint(color({k}) [U>D])" for k in (16, 17, 20, 21)]
    layout = lay("\n".join([*lines, "t"]))
    question = problem(layout, ARCH)
    assert greedy(compile_problem(question.colors, question.size, question.constraints)) is None
    found = numbers(question)
    assert judge(layout, found) is None
    assert [found[c] for c in layout.colors[:16]] == [*range(13), 14, 15, 13]


def test_regions_apart_share_numbers() -> None:
    found = solved(lay(
        "let a = color() let b = color() "
        "union(paint(tile() a [C>]) paint(rect(5 0 1 1) b [C>]))"
    ))  # fmt: skip
    assert found == {"a": 0, "b": 0}


def test_a_color_that_arrives_differs() -> None:
    found = solved(lay(
        "let a = color() let b = color() "
        "union(paint(tile() a [C>R]) paint(rect(1 0 1 1) b [C>]))"
    ))  # fmt: skip
    assert found == {"a": 0, "b": 1}


def test_a_swap_without_partner_reads_nobody() -> None:
    found = solved(lay(
        "let a = color() let b = color() let t = tile() "
        "t : paint(a [LXC]) t : paint(b [R>L]) t"
    ))  # fmt: skip
    assert found == {"a": 0, "b": 2}


def test_a_swap_of_other_sides_is_free() -> None:
    found = solved(lay(
        "let a = color() let b = color() let t = tile() "
        "t : paint(a [LHC]) t : paint(b [U>D]) t"
    ))  # fmt: skip
    assert found == {"a": 0, "b": 1}


def test_a_partner_that_is_read_takes_part() -> None:
    """b is a's partner; c comes from the side where a reads b, so it cannot have b's number."""
    text = (
        "let a = color() let c = color() let b = color() let t = rect(1 0 1 1) "
        "t : paint(a [LXC]) t : paint(c [R>L]) t : colorpair(a b) t"
    )
    assert solved(lay(text)) == {"a": 0, "c": 2, "b": 1}


def test_message_colors_by_number_are_the_programs() -> None:
    text = "let m = color(18) let a = color() let t = tile() t : code('p [m:m a:a]) t : mp(0) t"
    assert solved(lay(text)) == {"m": 18, "a": 0}
    shown = mistake("let m = color(18)\nlet t = tile()\nt : paint(m [C>])\nt : mp(0)\nt")
    assert "`m` is color 18" in shown and "bank 0 takes colors 14-18 on tile (0, 0)" in shown


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "let c = color(10)\nlet t = tile()\nt : paint(c [L>R ; C>R])\nt",
            ("t.paint:3:13: error: color 10 cannot switch", "0-9, 12-13", "t.paint:1:9: note"),
        ),
        (
            "let a = color(3)\nlet b = color(5)\nlet t = tile()\nt : colorpair(a b)\n"
            "t : paint(a [L>R])\nt",
            ("t.paint:4:5: error: `a` is color 3 and `b` color 5", "partner of 3 is 2"),
        ),
        (
            "let a = color()\nlet b = color()\nlet d = color()\nlet t = tile()\n"
            "t : colorpair(a b)\nt : colorpair(a d)\nt : paint(b [L>R])\nt : paint(d [R>L])\nt",
            ("`a` and `b` are a pair", "`a` and `d` are a pair", "`b` and `d` meet on tile (0, 0)",
             "t.paint:5:5", "t.paint:6:5", "t.paint:7:13", "t.paint:8:13"),
        ),
        (
            "let t = tile()\n" + "".join(
                f"let c{k} = color()\nt : paint(c{k} [L>R])\n" for k in range(25)
            ) + "t",
            ("25 colors meet on tile (0, 0)", "`c0` 3:14", "`c24` 51:15", "with 25"),
        ),
        (
            "let t = tile()\n" + "".join(
                f"let c{k} = color()\nt : paint(c{k} [L>R ; C>R])\n" for k in range(17)
            ) + "t",
            ("17 colors meet on tile (0, 0)", "17 colors switch, so each is one of 0-9, 12-13"),
        ),
        (
            "let a = color(0)\nlet c = color()\nlet t = tile()\n" + "t : paint(a [LXR])\n"
            "t : paint(c [L>C])\n" + "".join(
                f"t : paint(color({k}) [U>D])\n" for k in range(2, 24)
            ) + "t",
            ("the swap of `a` on tile (0, 0)", "`c`", "t.paint:4:13", "t.paint:5:13"),
        ),
    ],
    ids=["switch", "fixed pair", "two partners", "too many", "too many that switch", "swap"],
)  # fmt: skip
def test_a_clash_names_its_places(text: str, says: tuple[str, ...]) -> None:
    shown = mistake(text)
    for one in says:
        assert one in shown, shown
