"""Lark's tree to the syntax tree."""

import unicodedata
from typing import Any

from mitools.console import Place, UserError
from paint.syntax import ast
from paint.syntax.comments import place_at
from paint.syntax.rules import parse_rule


class Builder:
    """Builds one file's tree. `text` is what was parsed, for places."""

    def __init__(self, file: str, text: str):
        self.file = file
        self.text = text

    def layout(self, tree: Any) -> ast.Layout:
        return ast.Layout(self.file, tuple(self._statement(child) for child in tree.children))

    def _statement(self, tree: Any) -> Any:
        try:
            return self.node(tree)
        except RecursionError:
            place = place_at(self.text, self.file, tree.meta.start_pos, tree.meta.start_pos + 1)
            raise UserError("this statement is nested too deeply", place) from None

    def node(self, tree: Any) -> Any:
        return getattr(self, f"_{tree.data}")(tree, tree.children)

    def nodes(self, trees: Any) -> tuple[Any, ...]:
        return tuple(self.node(tree) for tree in trees)

    def _let(self, tree: Any, children: Any) -> ast.Let:
        name, value = children
        return ast.Let(canonical(name), self.node(value), place=self._at(name))

    def _rebind(self, tree: Any, children: Any) -> ast.Rebind:
        name, *operations = children
        return ast.Rebind(canonical(name), self.nodes(operations), place=self._at(name))

    def _define(self, tree: Any, children: Any) -> ast.Define:
        name, parameters, body = children
        names = tuple(canonical(parameter) for parameter in parameters.children)
        return ast.Define(
            canonical(name), names, self.nodes(body.children), place=self._at(name)
        )

    def _include(self, tree: Any, children: Any) -> ast.Include:
        return ast.Include(str(children[0])[1:-1], place=self._at(children[0]))

    def _name(self, tree: Any, children: Any) -> ast.Name:
        return ast.Name(canonical(children[0]), place=self._at(children[0]))

    def _number(self, tree: Any, children: Any) -> ast.Number:
        return ast.Number(str(children[0]), place=self._at(children[0]))

    def _symbol(self, tree: Any, children: Any) -> ast.Symbol:
        return ast.Symbol(str(children[0])[1:], place=self._at(children[0]))

    def _text(self, tree: Any, children: Any) -> ast.Text:
        return ast.Text(str(children[0])[1:-1], place=self._at(children[0]))

    def _element(self, tree: Any, children: Any) -> ast.Element:
        return ast.Element(canonical(children[0][1:]), place=self._at(children[0]))

    def _map(self, tree: Any, children: Any) -> ast.Map:
        return ast.Map(self.nodes(children[1:]), place=self._span(tree))

    def _entry(self, tree: Any, children: Any) -> ast.Entry:
        key, value = children
        return ast.Entry(canonical(key), self.node(value), place=self._at(key))

    def _route(self, tree: Any, children: Any) -> ast.Route:
        token = children[0]

        def place_of(start: int, end: int) -> Place:
            return place_at(self.text, self.file, token.start_pos + start, token.start_pos + end)

        rule = parse_rule(str(token), place_of)
        return ast.Route(rule, place=self._at(token))

    def _call(self, tree: Any, children: Any) -> ast.Call:
        name, *arguments = children
        return ast.Call(canonical(name), self.nodes(arguments), place=self._at(name))

    def _negation(self, tree: Any, children: Any) -> ast.Unary:
        return ast.Unary("-", self.node(children[1]), place=self._span(tree))

    def _binary(self, tree: Any, children: Any) -> ast.Binary:
        left, operator, right = children
        return ast.Binary(
            str(operator), self.node(left), self.node(right), place=self._span(tree)
        )

    _comparison = _sum = _product = _binary

    def _at(self, token: Any) -> Place:
        return place_at(self.text, self.file, token.start_pos, token.start_pos + len(token))

    def _span(self, tree: Any) -> Place:
        return place_at(self.text, self.file, tree.meta.start_pos, tree.meta.end_pos)


def canonical(name: str) -> str:
    """A name in the one form in which names are compared, Tungsten's too."""
    return unicodedata.normalize("NFC", str(name))
