"""Hypothesis strategies for syntax trees: every node that the printer can write."""

from hypothesis import strategies as st

from carbide.syntax import ast

NAMES = st.sampled_from(
    ["a", "x1", "sum", "in_", "rcut²", "Δx⁻¹", "r⃗₀", "φ′", "fifo", "stream", "filter", "len", "N"]
)
MEMBERS = st.one_of(NAMES, st.sampled_from(["sp", "xp", "u32", "base", "in"]))
TYPES = st.sampled_from(["xp", "i16", "u16", "i32", "u32", "u64", "hp", "sp", "wv"])
BASIC = TYPES.map(ast.Basic)
NAME = NAMES.map(ast.Name)


def number(text: str, type_: str | None = None) -> ast.Number:
    from carbide.syntax.build import number_value

    return ast.Number(text, number_value(text), type_)


NUMBER = st.builds(
    number,
    st.sampled_from(["0", "7", "65535", "0x7c00", "1.5", "0.", "1e-4", ".5", "3.25E+2"]),
    st.one_of(st.none(), TYPES),
)
BINARY = st.sampled_from(
    ["||", "&&", "|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "<<", ">>", "+", "-", "*", "%"]
)


def compound(inner):
    places = st.one_of(
        NAME,
        st.builds(ast.Element, NAME, inner),
        st.builds(ast.Member, NAME, MEMBERS),
        st.builds(ast.Next, NAME),
    )
    return st.one_of(
        st.builds(ast.Unary, st.sampled_from(["-", "+", "!", "~", "&"]), inner),
        st.builds(ast.Binary, BINARY, inner, inner),
        st.builds(ast.Conditional, inner, inner, inner),
        st.builds(ast.Cast, TYPES, inner),
        st.builds(ast.View, TYPES, places),
        st.builds(ast.Sum, inner),
        st.builds(ast.Call, NAMES, st.lists(inner, max_size=3).map(tuple)),
        st.builds(ast.Element, inner, inner),
        st.builds(ast.Next, inner),
        st.builds(ast.Member, inner, MEMBERS),
    )


EXPRESSION = st.recursive(st.one_of(NAME, NUMBER), compound, max_leaves=8)
SMALL = st.recursive(st.one_of(NAME, NUMBER), compound, max_leaves=3)
TARGET = st.one_of(
    NAME,
    st.builds(ast.Element, NAME, SMALL),
    st.builds(ast.Member, NAME, MEMBERS),
    st.builds(ast.Next, NAME),
    st.builds(ast.View, TYPES, st.builds(ast.Next, NAME)),
)
VALUE = st.recursive(
    SMALL,
    lambda inner: st.lists(
        st.builds(ast.Entry, st.one_of(st.none(), MEMBERS), inner), max_size=3
    ).map(lambda entries: ast.ListValue(tuple(entries))),
    max_leaves=4,
)
RANGE = st.builds(
    ast.Range, SMALL, st.one_of(SMALL, st.builds(ast.Infinity)), st.booleans()
).filter(lambda r: r.high != ast.Name("inf"))
WALK = st.builds(ast.Walk, NAMES, st.one_of(st.none(), RANGE))
DIMENSION = st.one_of(
    st.builds(ast.Dimension, st.one_of(st.none(), NAMES), SMALL), st.just(ast.Dimension(None, None))
)
PLACEMENT = st.builds(ast.Placement, st.sampled_from(["bank", "address"]), SMALL)
ATTRIBUTE = st.one_of(
    st.builds(ast.Attribute, st.sampled_from(["dir", "id", "socket.id"]), st.just(()), SMALL),
    st.builds(
        ast.Attribute,
        st.sampled_from(["uthread.enable", "dot.state"]),
        st.sampled_from(["on", "off"]).map(lambda word: (ast.Name(word),)),
    ),
)


def few(strategy, least: int = 0, most: int = 2):
    return st.lists(strategy, min_size=least, max_size=most).map(tuple)


PLAIN = st.builds(ast.Declarator, NAMES)
DECLARATOR = st.builds(
    ast.Declarator, NAMES, few(DIMENSION), few(PLACEMENT), few(ATTRIBUTE),
    st.one_of(st.none(), VALUE),
)  # fmt: skip
MEMBER_LINE = st.builds(
    ast.Members, BASIC, few(st.builds(ast.Declarator, MEMBERS, few(DIMENSION)), 1)
)
AGGREGATE = st.one_of(
    st.builds(ast.Aggregate, st.sampled_from(["struct", "union"]), NAMES, st.none()),
    st.builds(
        ast.Aggregate, st.sampled_from(["struct", "union"]), st.one_of(st.none(), NAMES),
        few(
            st.one_of(
                MEMBER_LINE,
                st.builds(
                    ast.Members,
                    st.builds(ast.Aggregate, st.just("union"), st.none(), few(MEMBER_LINE)),
                    st.just(()),
                ),
            )
        ),
    ),
)  # fmt: skip
TYPE = st.one_of(BASIC, st.sampled_from(["vec3", "a", "N"]).map(ast.Named), AGGREGATE)
DECLARATION = st.one_of(
    st.builds(ast.Variables, TYPE, few(DECLARATOR, 1)),
    st.builds(ast.Parameters, BASIC, few(DECLARATOR, 1)),
    st.builds(ast.Constants, BASIC, few(DECLARATOR, 1)),
    st.builds(ast.Typedef, TYPE, few(DECLARATOR, 1)),
    st.builds(ast.Sockets, st.one_of(st.none(), BASIC), few(DECLARATOR, 1)),
    st.builds(ast.Fifos, BASIC, few(DECLARATOR, 1)),
    st.builds(ast.Streams, few(DECLARATOR, 1)),
    st.builds(
        ast.Iterators,
        few(st.builds(ast.IteratorDeclarator, NAMES, few(WALK, 1), TARGET.filter(
            lambda target: not isinstance(target, ast.View))), 1),
    ),
    st.builds(
        ast.Filters,
        few(st.builds(ast.FilterDeclarator, NAMES, st.sampled_from(["counter", "sparse counter"]),
                      st.one_of(st.none(), few(st.builds(ast.Entry, MEMBERS, SMALL)).map(
                          ast.ListValue))), 1),
    ),
    st.builds(ast.Ranges, few(st.builds(ast.RangeBinding, NAMES, RANGE), 1)),
    st.builds(ast.AggregateOnly, AGGREGATE),
)  # fmt: skip
ACTION = st.one_of(
    st.builds(ast.Call, NAMES, few(SMALL)),
    st.builds(ast.Member, NAME, MEMBERS),
    st.builds(ast.Next, NAME),
).map(ast.Action)
SIMPLE = st.one_of(
    st.builds(ast.Empty),
    st.builds(
        ast.Assignment,
        TARGET,
        st.sampled_from(["<-", "<+-", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="]),
        VALUE,
    ),
    ACTION,
    st.builds(ast.Return, st.one_of(st.none(), SMALL)),
    st.builds(ast.Reset, few(NAME, 1)),
    DECLARATION,
)  # fmt: skip


def nested(inner):
    block = few(inner).map(ast.Block)
    handler = st.builds(ast.Handler, st.sampled_from(["wavelet", "control"]), few(SMALL), block)
    return st.one_of(
        block,
        st.builds(ast.Main, st.just("main"), block),
        st.builds(ast.Loop, WALK, inner),
        st.builds(ast.While, SMALL, inner),
        st.builds(ast.Forever, inner),
        st.builds(ast.If, SMALL, block, st.one_of(st.none(), inner)),
        st.builds(ast.Parallel, block),
        st.builds(ast.Dispatch, SMALL, few(handler)),
        st.builds(ast.Attributed, few(ATTRIBUTE, 1), inner),
    )


STATEMENT = st.recursive(SIMPLE, nested, max_leaves=5)
BLOCK = few(STATEMENT).map(ast.Block)
PARAMETER = st.one_of(
    st.builds(ast.FunctionParameter, st.just("value"), TYPE, NAMES, few(DIMENSION)),
    st.builds(
        ast.FunctionParameter, st.just("socket"), st.one_of(st.none(), BASIC), NAMES, st.just(())
    ),
    st.builds(
        ast.FunctionParameter, st.sampled_from(["stream", "iterator"]), st.none(), NAMES,
        st.just(()),
    ),
)  # fmt: skip
ITEM = st.one_of(
    STATEMENT,
    st.builds(ast.Import, few(st.sampled_from(["geometry", "lib.cells"]), 1)),
    st.builds(ast.Function, NAMES, few(PARAMETER), BLOCK),
    st.builds(ast.Teardown, BLOCK),
)
PROGRAM = st.builds(ast.Program, st.just("t.w"), few(ITEM, 0, 4))
