"""Texts to trees and back: what blanks mean, comments, every form of the language."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mitools.console import UserError
from paint.syntax import ast
from paint.syntax.parse import parse_text
from paint.syntax.print import expression_text, layout_text


def parse(text: str) -> tuple[ast.Statement, ...]:
    return parse_text(text, "t.paint").statements


def arguments(text: str) -> list[str]:
    """The arguments of the call that a text is, printed."""
    (call,) = parse(text)
    assert isinstance(call, ast.Call)
    return [expression_text(argument) for argument in call.arguments]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(H+1 0)", ["H+1", "0"]),
        ("f(a -1)", ["a", "-1"]),
        ("f(0 -1)", ["0", "-1"]),
        ("f(-1 -1)", ["-1", "-1"]),
        ("f(a-1)", ["a-1"]),
        ("f(a - 1)", ["a-1"]),
        ("f(a- 1)", ["a-1"]),
        ("f((a -1))", ["a-1"]),
        ("f(a -b -c)", ["a", "-b", "-c"]),
        ("f(a*-b)", ["a*(-b)"]),
        ("f(K+2 0 1 1)", ["K+2", "0", "1", "1"]),
        ("f(a //b 2)", ["a//b", "2"]),
        ("f(a(b) c)", ["a(b)", "c"]),
        ("f(a (b) c)", ["a", "b", "c"]),
        ("f(a (b+1)*2)", ["a", "(b+1)*2"]),
        ("f(a<b a==b a!=b)", ["a<b", "a==b", "a!=b"]),
        ("f(a%2==0 x y)", ["a%2==0", "x", "y"]),
        ("f(- 1)", ["-1"]),
        ("f(a - -1)", ["a-(-1)"]),
        ("f(2 [L>C] [a:b -1])", ["2", "[L>C]", "[a:b-1]"]),
        ("f('a -1)", ["'a", "-1"]),
        ("f(@k-1 @k -1)", ["@k-1", "@k", "-1"]),
        ("f(0x10 .5 1e-3 2.)", ["0x10", ".5", "1e-3", "2."]),
        ("f(a\n-1)", ["a", "-1"]),
        ("f()", []),
    ],
)
def test_blanks_part_arguments(text: str, expected: list[str]) -> None:
    assert arguments(text) == expected


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("'recolor-moat-sync", "recolor-moat-sync"),
        ("'mup.mupterm", "mup.mupterm"),
        ("'a1-2.b", "a1-2.b"),
        ("'x=y", "x=y"),
    ],
)
def test_symbols_run_to_the_next_blank(text: str, name: str) -> None:
    assert parse(f"f({text})") == (ast.Call("f", (ast.Symbol(name),)),)
    assert parse(f"f({text} [])") == (ast.Call("f", (ast.Symbol(name), ast.Map(()))),)
    assert parse(f"f({text}[])") == (ast.Call("f", (ast.Symbol(name), ast.Map(()))),)


def test_statements_follow_each_other_by_their_shape() -> None:
    one, two, three, four = parse("let a = 1 let b = a-1 a : f(b) g(a)")
    assert one == ast.Let("a", ast.Number("1"))
    assert two == ast.Let("b", ast.Binary("-", ast.Name("a"), ast.Number("1")))
    assert three == ast.Rebind("a", (ast.Call("f", (ast.Name("b"),)),))
    assert four == ast.Call("g", (ast.Name("a"),))


def test_a_minus_goes_on_outside_of_arguments() -> None:
    (one,) = parse("let a = b -1")
    assert one == ast.Let("a", ast.Binary("-", ast.Name("b"), ast.Number("1")))


def test_a_blank_before_the_parenthesis_outside_of_arguments() -> None:
    assert parse("let a = tile ()\na : code ('x)") == parse("let a = tile()\na : code('x)")


def test_operators_bind_as_usual() -> None:
    assert parse("a+b*c-d") == parse("(a+(b*c))-d")
    assert parse("a//b/c%d") == parse("((a//b)/c)%d")
    assert parse("-a*b") == parse("(-a)*b")
    assert parse("a+1<b*2") == parse("(a+1)<(b*2)")


def test_comments_nest_and_are_blanks() -> None:
    assert parse("(* a (* b *) \n c' \" *) f(a(* x *)b (**) c)") == parse("f(a b c)")
    assert parse('include "a(*b*).paint"') == (ast.Include("a(*b*).paint"),)


def test_maps_have_unicode_keys_and_decimals() -> None:
    (call,) = parse("f([Δt:0.5 r⃗₀:-1 x̂:a+1 k : 2 φ′:@k])")
    assert isinstance(call, ast.Call)
    (map_,) = call.arguments
    assert isinstance(map_, ast.Map)
    assert [entry.key for entry in map_.entries] == ["Δt", "r⃗₀", "x̂", "k", "φ′"]


def test_names_have_one_form() -> None:
    assert parse("caf\u0065\u0301") == parse("caf\u00e9")


def test_definitions_and_includes() -> None:
    text = 'include "a.paint" define f(p q) { let s = p+q s } define g() { f(1 2) }'
    include, f, g = parse(text)
    assert include == ast.Include("a.paint")
    assert isinstance(f, ast.Define) and f.parameters == ("p", "q") and len(f.body) == 2
    assert isinstance(g, ast.Define) and g.parameters == ()


def test_rebinding_goes_on() -> None:
    assert parse("a : f(1) : g()") == (
        ast.Rebind("a", (ast.Call("f", (ast.Number("1"),)), ast.Call("g", ()))),
    )


def test_places_are_those_of_the_source() -> None:
    (call,) = parse("(* x\n *)  f(a\n  'b)")
    assert isinstance(call, ast.Call)
    assert call.place == ("t.paint", 2, 6, 7)
    assert call.arguments[1].place == ("t.paint", 3, 3, 5)


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("f(a, b)", "1:4", "no separators"),
        ("f(a", "1:2", "never closed"),
        ("f(a]", "1:4", "`)` should close"),
        ("a)", "1:2", "closes nothing"),
        ("let a = (* x (* y *)", "1:9", "never closed"),
        ("a *)", "1:3", "closes no comment"),
        ("f([L>C)", "1:3", "no `]`"),
        ("f(2a)", "1:3", "neither a number nor a name"),
        ("let a 3", "1:7", "let name = value"),
        ("let = 3", "1:5", "let name = value"),
        ('"abc', "1:1", "end on its line"),
        ("f(a ')", "1:5", "symbol needs a name"),
        ("f(a + )", "1:7", "needs a value"),
        ("let a =", "1:8", "something is missing"),
        ("a : b", "1:5", "parentheses"),
        ("# x", "1:1", "comments are written"),
        ("f([a:1 b])", "1:9", "key:value"),
        ("f([a:1 2:3])", "1:8", "key:value"),
        ("f(‘a)", "1:3", "write `'`"),
        ("define f(a) a", "1:13", "{ … }"),
        ("var a = 3", "1:7", "let name"),
    ],
)
def test_mistakes_have_their_place(text: str, place: str, says: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_text(text, "t.paint")
    shown = caught.value.render()
    assert shown.startswith(f"t.paint:{place}: error:"), shown
    assert says in shown, shown


names = st.sampled_from(["a", "bb", "Δt", "k_1", "L", "lets"])
sides = st.text("LRUD", min_size=1, max_size=2).map(lambda s: "".join(sorted(set(s))))


@st.composite
def rules(draw: st.DrawFn) -> ast.Rule:
    modifier = draw(st.sampled_from(">HVX"))
    count = draw(st.integers(1, 4))
    positions = []
    for _ in range(count):
        outputs = draw(st.sets(st.sampled_from("LRUDC"), min_size=1))
        written = "".join(side for side in "LRUDC" if side in outputs)
        bounds = [draw(st.sets(st.sampled_from("LRUD"), max_size=2)) for _ in range(2)]
        before, after = ("".join(s for s in "LRUD" if s in bound) for bound in bounds)
        source = draw(st.sampled_from("LRUDC"))
        positions.append(ast.Position(source, modifier, written, before, after))
    if count == 1 and draw(st.booleans()):
        positions = [draw(st.sampled_from([
            ast.Position("C", modifier, ""), ast.Position("", modifier, "C"),
        ]))]  # fmt: skip
    return ast.Rule(
        tuple(positions), draw(st.integers(0, count - 1)),
        draw(st.sampled_from(["no", "always", "adv", "adv-nop"])), draw(st.booleans()),
    )  # fmt: skip


leaves = st.one_of(
    names.map(ast.Name),
    st.sampled_from(["0", "17", "0x1F", "0.5", "1e-4", ".5"]).map(ast.Number),
    st.sampled_from(["a-b", "x.y", "p"]).map(ast.Symbol),
    st.sampled_from(["", "a b", "(*"]).map(ast.Text),
    names.map(ast.Element),
    rules().map(ast.Route),
)
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(ast.Unary, st.just("-"), inner),
        st.builds(
            ast.Binary,
            st.sampled_from(["+", "-", "*", "/", "//", "%", "==", "!=", "<", ">", "<=", ">="]),
            inner,
            inner,
        ),
        st.builds(ast.Call, names, st.lists(inner, max_size=3).map(tuple)),
        st.lists(st.builds(ast.Entry, names, inner), max_size=3).map(lambda e: ast.Map(tuple(e))),
    ),
    max_leaves=8,
)
calls = st.builds(ast.Call, names, st.lists(expressions, max_size=3).map(tuple))
simple = st.one_of(
    st.builds(ast.Let, names, expressions),
    st.builds(ast.Rebind, names, st.lists(calls, min_size=1, max_size=2).map(tuple)),
    calls,
)
statements = st.one_of(
    simple,
    st.builds(
        ast.Define,
        names,
        st.lists(names, max_size=2).map(tuple),
        st.lists(simple, max_size=3).map(tuple),
    ),
    st.sampled_from(["x.paint", "../a b.paint"]).map(ast.Include),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(statements, max_size=5))
def test_printing_and_parsing_is_the_identity(body: list[ast.Statement]) -> None:
    layout = ast.Layout("t.paint", tuple(body))
    assert parse_text(layout_text(layout), "t.paint") == layout


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab1 ()[]{}'\":=+-*/>LRCX|;@.\n", max_size=40))
def test_any_text_parses_or_gives_a_place(text: str) -> None:
    try:
        parse_text(text, "t.paint")
    except UserError as error:
        assert error.place is not None and error.place.line >= 1
