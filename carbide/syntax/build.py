"""Parse tree to syntax tree: one method a grammar rule."""

import unicodedata
from collections.abc import Sequence
from typing import Any

from carbide.syntax import ast
from mitools.console import Place

OPERATORS = {
    "←": "<-", "=": "<-", "←̟": "<+-", "+=": "<+-", "≤": "<=", "≥": ">=", "≠": "!=",
}  # fmt: skip
"""Spellings that mean the same, to the one that the syntax tree has."""
INFINITE_WALK = "inf"


def canonical(name: str) -> str:
    """A name as programs compare it: Unicode NFC."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


class Builder:
    """Turns lark trees of one file into `carbide.syntax.ast` nodes."""

    def __init__(self, file: str):
        self.file = file

    def program(self, tree: Any) -> ast.Program:
        return ast.Program(self.file, self.sequence(tree.children))

    def __call__(self, node: Any) -> Any:
        if isinstance(node, str):
            return node
        if node is None:
            return None
        return getattr(self, node.data)(node.children, self.place(node))

    def place(self, node: Any) -> Place:
        where: Any = node if isinstance(node, str) else node.meta
        line = getattr(where, "line", None)
        if line is None:
            return Place(self.file)
        end = where.end_column if where.end_line == line else None
        return Place(self.file, line, where.column, end)

    def all(self, nodes: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(self(node) for node in nodes if node is not None)

    def token_place(self, token: Any, place: Place) -> Place:
        return place if token is None else self.place(token)

    # Items and statements.

    def sequence(self, nodes: Sequence[Any]) -> tuple[Any, ...]:
        return self.all(nodes)

    def import_(self, children: list, place: Place) -> Any:
        modules = (".".join(map(canonical, module.children)) for module in children)
        return ast.Import(tuple(modules), place=place)

    def function(self, children: list, place: Place) -> Any:
        *parameters, body = children[1:]
        at = self.place(children[0])
        name = canonical(children[0])
        return ast.Function(name, self.all(parameters), self(body), place=at)

    def parameter(self, children: list, place: Place) -> Any:
        type_, name, *dimensions = children
        return ast.FunctionParameter(
            "value", self(type_), canonical(name), self.all(dimensions), place=self.place(name)
        )

    def socket_parameter(self, children: list, place: Place) -> Any:
        type_, _, name = children
        return ast.FunctionParameter("socket", self(type_), canonical(name), place=place)

    def stream_parameter(self, children: list, place: Place) -> Any:
        return ast.FunctionParameter("stream", None, canonical(children[1]), place=place)

    def iterator_parameter(self, children: list, place: Place) -> Any:
        return ast.FunctionParameter("iterator", None, canonical(children[1]), place=place)

    def teardown(self, children: list, place: Place) -> Any:
        return ast.Teardown(self(children[-1]), place=place)

    def block(self, children: list, place: Place) -> Any:
        return ast.Block(self.sequence(children), place=place)

    def named_block(self, children: list, place: Place) -> Any:
        name, body = children
        return ast.Main(canonical(name), self(body), place=self.place(name))

    def empty(self, children: list, place: Place) -> Any:
        return ast.Empty(place=place)

    def attributed(self, children: list, place: Place) -> Any:
        attributes, statement = children
        return ast.Attributed(self(attributes), self(statement), place=self.place(attributes))

    def pragma(self, children: list, place: Place) -> Any:
        text = str(children[0])
        words = text.replace("(", " ").replace(")", " ").replace(".", " ").split()
        words = words[words.index("pragma") + 1 :] if "pragma" in words else words[1:]
        arguments: tuple[ast.Name, ...] = ()
        if words and (words[-1] in ("on", "off") or "(" in text):
            arguments = (ast.Name(words.pop(), place=place),)
        return (ast.Attribute(".".join(map(canonical, words)), arguments, place=place),)

    def last_pragma(self, children: list, place: Place) -> Any:
        return ast.Attributed(self.pragma(children, place), ast.Empty(place=place), place=place)

    def loop(self, children: list, place: Place) -> Any:
        walk, body = children
        return ast.Loop(self(walk), self(body), place=self.place(walk))

    def walk(self, children: list, place: Place) -> Any:
        name, range_ = children if len(children) == 2 else (children[0], None)
        variable = INFINITE_WALK if name == "∞" else canonical(name)
        return ast.Walk(variable, self(range_), place=place)

    def range(self, children: list, place: Place) -> Any:
        _, low, high, close = children
        end = self(high)
        if end == ast.Name("inf"):
            end = ast.Infinity(place=end.place)
        return ast.Range(self(low), end, close == "]", place=place)

    def infinity(self, children: list, place: Place) -> Any:
        return ast.Infinity(place=place)

    def while_(self, children: list, place: Place) -> Any:
        return ast.While(self(children[0]), self(children[1]), place=place)

    def forever(self, children: list, place: Place) -> Any:
        return ast.Forever(self(children[0]), place=place)

    def if_(self, children: list, place: Place) -> Any:
        condition, then, *otherwise = children
        other = self(otherwise[0]) if otherwise else None
        return ast.If(self(condition), self(then), other, place=place)

    def return_(self, children: list, place: Place) -> Any:
        return ast.Return(self(children[0]), place=place)

    def parallel(self, children: list, place: Place) -> Any:
        return ast.Parallel(self(children[0]), place=place)

    def dispatch(self, children: list, place: Place) -> Any:
        return ast.Dispatch(self(children[0]), self.all(children[1:]), place=place)

    def handler(self, children: list, place: Place) -> Any:
        kind, *parameters, body = children
        return ast.Handler(
            canonical(kind), self.all(parameters), self(body), place=self.place(kind)
        )

    def assignment(self, children: list, place: Place) -> Any:
        target, operator, value = children
        return ast.Assignment(self(target), self(operator), self(value), place=place)

    def assign_operator(self, children: list, place: Place) -> Any:
        return OPERATORS.get(children[0], str(children[0]))

    def action(self, children: list, place: Place) -> Any:
        return ast.Action(self(children[0]), place=place)

    # Declarations.

    def _typed(self, node: Any, children: list, place: Place) -> Any:
        return node(self(children[0]), self.all(children[1:]), place=place)

    def variables(self, children: list, place: Place) -> Any:
        kind = children[0].children[0]
        if kind == "reset" and not any(c for d in children[1:] for c in d.children[1:]):
            names = tuple(
                ast.Name(canonical(d.children[0]), place=self.place(d)) for d in children[1:]
            )
            return ast.Reset(names, place=place)
        return self._typed(ast.Variables, children, place)

    def parameters(self, children: list, place: Place) -> Any:
        return self._typed(ast.Parameters, children, place)

    def constants(self, children: list, place: Place) -> Any:
        return self._typed(ast.Constants, children, place)

    def typedef(self, children: list, place: Place) -> Any:
        return self._typed(ast.Typedef, children, place)

    def sockets(self, children: list, place: Place) -> Any:
        type_, _, *declarators = children
        return ast.Sockets(self(type_), self.all(declarators), place=place)

    def fifos(self, children: list, place: Place) -> Any:
        type_, _, *declarators = children
        return ast.Fifos(self(type_), self.all(declarators), place=place)

    def streams(self, children: list, place: Place) -> Any:
        return ast.Streams(self.all(children[1:]), place=place)

    def iterators(self, children: list, place: Place) -> Any:
        return ast.Iterators(self.all(children[1:]), place=place)

    def iterator_declarator(self, children: list, place: Place) -> Any:
        name, *rest = children
        at = self.place(name)
        if rest == [None] * len(rest):
            return ast.IteratorDeclarator(canonical(name), place=at)
        *walks, target = rest
        return ast.IteratorDeclarator(canonical(name), self.all(walks), self(target), place=at)

    def filters(self, children: list, place: Place) -> Any:
        return ast.Filters(self.all(children), place=place)

    def filter_declarator(self, children: list, place: Place) -> Any:
        name, kind, settings = children
        words = " ".join(map(canonical, kind.children))
        return ast.FilterDeclarator(
            canonical(name), words, self(settings), place=self.place(name)
        )

    def ranges(self, children: list, place: Place) -> Any:
        return ast.Ranges(self.all(children), place=place)

    def range_binding(self, children: list, place: Place) -> Any:
        name, range_ = children
        return ast.RangeBinding(canonical(name), self(range_), place=self.place(name))

    def aggregate_only(self, children: list, place: Place) -> Any:
        return ast.AggregateOnly(self(children[0]), place=place)

    def type(self, children: list, place: Place) -> Any:
        inner = children[0]
        if isinstance(inner, str):
            return ast.Named(canonical(inner), place=place)
        if inner.data == "basic":
            return ast.Basic(str(inner.children[0]), place=place)
        return self(inner)

    def aggregate(self, children: list, place: Place) -> Any:
        kind, tag, *body = children
        name = None if tag is None else canonical(tag)
        at = self.place(kind) if tag is None else self.place(tag)
        if not body:
            return ast.Aggregate(str(kind), name, None, place=at)
        members = self.all([node for node in body if not isinstance(node, str)])
        return ast.Aggregate(str(kind), name, members, place=at)

    def member(self, children: list, place: Place) -> Any:
        return ast.Members(self(children[0]), self.all(children[1:]), place=place)

    def anonymous_member(self, children: list, place: Place) -> Any:
        return ast.Members(self(children[0]), (), place=place)

    def declarator(self, children: list, place: Place) -> Any:
        name, *rest = children
        dimensions: list[ast.Dimension] = []
        placements: list[ast.Placement] = []
        attributes: list[ast.Attribute] = []
        value = None
        for node in self.all(rest):
            if isinstance(node, ast.Dimension):
                dimensions.append(node)
            elif isinstance(node, ast.Placement):
                placements.append(node)
            elif isinstance(node, tuple):
                attributes += node
            else:
                value = node
        return ast.Declarator(
            canonical(name), tuple(dimensions), tuple(placements), tuple(attributes), value,
            place=self.place(name),
        )  # fmt: skip

    def dimension(self, children: list, place: Place) -> Any:
        name, size = children
        return ast.Dimension(None if name is None else canonical(name), self(size), place=place)

    def open_dimension(self, children: list, place: Place) -> Any:
        return ast.Dimension(None, None, place=place)

    def placement(self, children: list, place: Place) -> Any:
        return ast.Placement(canonical(children[0]), self(children[1]), place=place)

    def attributes(self, children: list, place: Place) -> Any:
        return self.all(children)

    def attribute(self, children: list, place: Place) -> Any:
        return ast.Attribute(self(children[0]), place=place)

    def attribute_call(self, children: list, place: Place) -> Any:
        return ast.Attribute(self(children[0]), self.all(children[1:]), place=place)

    def attribute_value(self, children: list, place: Place) -> Any:
        return ast.Attribute(self(children[0]), (), self(children[1]), place=place)

    def attribute_name(self, children: list, place: Place) -> Any:
        return ".".join(map(canonical, children))

    def list_value(self, children: list, place: Place) -> Any:
        return ast.ListValue(self.all(children), place=place)

    def entry(self, children: list, place: Place) -> Any:
        return ast.Entry(None, self(children[0]), place=place)

    def designated(self, children: list, place: Place) -> Any:
        return ast.Entry(canonical(children[0]), self(children[1]), place=place)

    # Expressions.

    def name(self, children: list, place: Place) -> Any:
        return ast.Name(canonical(children[0]), place=place)

    def number(self, children: list, place: Place) -> Any:
        text = str(children[0])
        return ast.Number(text, number_value(text), place=place)

    def typed_number(self, children: list, place: Place) -> Any:
        text, type_ = (part.strip() for part in str(children[0]).split(":"))
        return ast.Number(text, number_value(text), type_, place=place)

    def parentheses(self, children: list, place: Place) -> Any:
        return self(children[0])

    def call(self, children: list, place: Place) -> Any:
        return ast.Call(canonical(children[0]), self.all(children[1:]), place=place)

    def element(self, children: list, place: Place) -> Any:
        return ast.Element(self(children[0]), self(children[1]), place=place)

    def next_element(self, children: list, place: Place) -> Any:
        return ast.Next(self(children[0]), place=place)

    def select(self, children: list, place: Place) -> Any:
        return ast.Member(self(children[0]), canonical(children[1]), place=place)

    def view(self, children: list, place: Place) -> Any:
        return ast.View(str(children[0].children[0]), self(children[1]), place=place)

    def cast(self, children: list, place: Place) -> Any:
        type_, operand = (c for c in children if not isinstance(c, str))
        return ast.Cast(str(type_.children[0]), self(operand), place=place)

    def prefix(self, children: list, place: Place) -> Any:
        return ast.Unary(str(children[0]), self(children[1]), place=place)

    def binary(self, children: list, place: Place) -> Any:
        left, operator, right = children
        sign = OPERATORS.get(operator, str(operator))
        return ast.Binary(sign, self(left), self(right), place=place)

    def conditional(self, children: list, place: Place) -> Any:
        condition, yes, no = children
        return ast.Conditional(self(condition), self(yes), self(no), place=place)

    def sum_of(self, children: list, place: Place) -> Any:
        return ast.Sum(self(children[0]), place=place)


def number_value(text: str) -> int | float:
    """The value of a literal's text: an int, or a float when it has a point or an exponent."""
    if text[:2] in ("0x", "0X"):
        return int(text, 16)
    try:
        return int(text)
    except ValueError:
        return float(text)
