"""Syntax tree to source text that parses to the same tree."""

from collections.abc import Sequence

from carbide.syntax import ast

LEVELS = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"),
    ("+", "-"), ("*", "/", "%"),
)  # fmt: skip
CONDITIONAL, FIRST_BINARY = 0, 1
LEVEL = {op: FIRST_BINARY + place for place, ops in enumerate(LEVELS) for op in ops}
SUM = LEVEL["*"]  # `∑ a*b + c` is `(∑ a*b) + c`
UNARY = FIRST_BINARY + len(LEVELS)
POSTFIX = UNARY + 1


def print_program(program: ast.Program) -> str:
    """The program's own text; imports stay imports."""
    return "".join(_statement(item, 0) for item in program.items)


def print_expression(node: ast.Expression, level: int = CONDITIONAL) -> str:
    """An expression, in parentheses where `level` (what may stand there) asks for them."""
    text, own = _expression(node)
    return f"({text})" if own < level else text


def _expression(node: ast.Expression) -> tuple[str, int]:
    show = print_expression
    match node:
        case ast.Name():
            return node.name, POSTFIX
        case ast.Number():
            return (f"{node.text}:{node.type}" if node.type else node.text), POSTFIX
        case ast.Infinity():
            return "∞", POSTFIX
        case ast.Unary():
            return f"{node.operator}{show(node.operand, UNARY)}", UNARY
        case ast.Binary():
            level = LEVEL[node.operator]
            left, right = show(node.left, level), show(node.right, level + 1)
            if level == SUM and isinstance(node.left, ast.Sum):
                left = f"({left})"
            return f"{left} {node.operator} {right}", level
        case ast.Conditional():
            condition = show(node.condition, FIRST_BINARY)
            return f"{condition} ? {show(node.yes)} : {show(node.no)}", CONDITIONAL
        case ast.Cast():
            return f"({node.type}){show(node.operand, UNARY)}", UNARY
        case ast.View():
            return f"{node.type}:{show(node.operand, POSTFIX)}", UNARY
        case ast.Sum():
            operand = show(node.operand, SUM)
            if isinstance(node.operand, ast.Sum):
                operand = f"({operand})"
            return f"∑ {operand}", SUM
        case ast.Call():
            return f"{node.name}({', '.join(map(show, node.arguments))})", POSTFIX
        case ast.Element():
            return f"{show(node.array, POSTFIX)}[{show(node.index)}]", POSTFIX
        case ast.Next():
            return f"{show(node.source, POSTFIX)}[]", POSTFIX
        case ast.Member():
            owner = show(node.aggregate, POSTFIX)
            owner = f"({owner})" if isinstance(node.aggregate, ast.Number) else owner
            return f"{owner}.{node.name}", POSTFIX
    raise TypeError(node)


def _value(node: ast.Value) -> str:
    if not isinstance(node, ast.ListValue):
        return print_expression(node)
    entries = (
        f".{entry.name} = {_value(entry.value)}" if entry.name else _value(entry.value)
        for entry in node.entries
    )
    return "{" + ", ".join(entries) + "}"


def _range(node: ast.Range) -> str:
    close = "]" if node.closed else ")"
    return f"[{print_expression(node.low)}, {print_expression(node.high)}{close}"


def _walk(node: ast.Walk) -> str:
    return f"∀{node.variable}" + (f" ∈ {_range(node.range)}" if node.range else "")


def _type(node: ast.Type | None, depth: int) -> str:
    if isinstance(node, ast.Basic | ast.Named):
        return node.name
    assert isinstance(node, ast.Aggregate)
    head = f"{node.kind} {node.tag}" if node.tag else node.kind
    if node.members is None:
        return head
    inner = "".join(
        _line(depth + 1, f"{_type(m.type, depth + 1)} {_declarators(m.declarators)}".rstrip() + ";")
        for m in node.members
    )
    return f"{head} {{\n{inner}{'    ' * depth}}}"


def _dimension(node: ast.Dimension) -> str:
    name = f"{node.name}=" if node.name else ""
    return f"[{name}{print_expression(node.size) if node.size is not None else ''}]"


def _attribute(node: ast.Attribute) -> str:
    if node.value is not None:
        return f"{node.name}={print_expression(node.value)}"
    if node.arguments:
        return f"{node.name}({', '.join(map(print_expression, node.arguments))})"
    return node.name


def _attributes(nodes: Sequence[ast.Attribute]) -> str:
    return "[[" + ", ".join(map(_attribute, nodes)) + "]]"


def _declarators(nodes: Sequence[ast.Declarator]) -> str:
    return ", ".join(map(_declarator, nodes))


def _declarator(node: ast.Declarator) -> str:
    text = node.name + "".join(map(_dimension, node.dimensions))
    for placement in node.placements:
        text += f" {placement.kind}({print_expression(placement.argument)})"
    if node.attributes:
        text += f" {_attributes(node.attributes)}"
    return text if node.value is None else f"{text} = {_value(node.value)}"


def _iterator(node: ast.IteratorDeclarator) -> str:
    if node.target is None:
        return node.name
    walks = " ".join(map(_walk, node.walks))
    return f"{node.name} = {walks} {print_expression(node.target, POSTFIX)}"


def _filter(node: ast.FilterDeclarator) -> str:
    settings = f" = {_value(node.settings)}" if node.settings is not None else ""
    return f"{node.name}[{node.kind}]{settings}"


def _parameter(node: ast.FunctionParameter) -> str:
    kind = "" if node.kind == "value" else node.kind
    words = [_type(node.type, 0) if node.type else "", kind, node.name]
    return " ".join(filter(None, words)) + "".join(map(_dimension, node.dimensions))


def _declaration(node: ast.Declaration, depth: int) -> str | None:
    match node:
        case ast.Variables():
            return f"{_type(node.type, depth)} {_declarators(node.declarators)}"
        case ast.Parameters():
            return f"{_type(node.type, depth)} param {_declarators(node.declarators)}"
        case ast.Constants():
            return f"{_type(node.type, depth)} const {_declarators(node.declarators)}"
        case ast.Typedef():
            return f"typedef {_type(node.type, depth)} {_declarators(node.declarators)}"
        case ast.Sockets():
            type_ = f"{_type(node.type, depth)} " if node.type else ""
            return f"{type_}socket {_declarators(node.declarators)}"
        case ast.Fifos():
            return f"{_type(node.type, depth)} fifo {_declarators(node.declarators)}"
        case ast.Streams():
            return f"stream {_declarators(node.declarators)}"
        case ast.Iterators():
            return "iterator " + ", ".join(map(_iterator, node.declarators))
        case ast.Filters():
            return "filter " + ", ".join(map(_filter, node.declarators))
        case ast.Ranges():
            bindings = (f"{b.name} ∈ {_range(b.range)}" for b in node.bindings)
            return "let " + ", ".join(bindings)
        case ast.AggregateOnly():
            return _type(node.type, depth)
    return None


def _line(depth: int, text: str) -> str:
    return f"{'    ' * depth}{text}\n"


def _block(node: ast.Block, depth: int) -> str:
    inner = "".join(_statement(statement, depth + 1) for statement in node.statements)
    return f"{{\n{inner}{'    ' * depth}}}\n"


def _body(node: "ast.Statement", depth: int) -> str:
    """A statement behind a head: a block on the head's line, another one indented below."""
    if isinstance(node, ast.Block):
        return f" {_block(node, depth)}"
    return "\n" + _statement(node, depth + 1)


def _ends_open(node: "ast.Statement | None") -> bool:
    """Whether an `else` behind this statement would belong to an `if` inside it."""
    while node is not None:
        if isinstance(node, ast.If):
            if node.otherwise is None:
                return True
            node = node.otherwise
        elif isinstance(node, ast.Loop | ast.While | ast.Forever):
            node = node.body
        elif isinstance(node, ast.Attributed):
            node = node.statement
        else:
            return False
    return False


def _if(node: ast.If, depth: int) -> str:
    then = node.then
    if node.otherwise is not None and _ends_open(then):
        raise ValueError("an `if` without `else` before an `else` cannot be written")
    text = f"if ({print_expression(node.condition)}){_body(then, depth)}"
    if node.otherwise is None:
        return text
    if isinstance(node.otherwise, ast.If):
        return f"{text}{'    ' * depth}else {_if(node.otherwise, depth)}"
    return f"{text}{'    ' * depth}else{_body(node.otherwise, depth)}"


def _statement(node: "ast.Item", depth: int) -> str:
    pad = "    " * depth
    match node:
        case ast.Import():
            return _line(depth, f"import {', '.join(node.modules)};")
        case ast.Function():
            parameters = ", ".join(map(_parameter, node.parameters))
            return f"{pad}function {node.name}({parameters}) {_block(node.body, depth)}"
        case ast.Teardown():
            return f"{pad}#pragma teardown on {_block(node.body, depth)}"
        case ast.Block():
            return pad + _block(node, depth)
        case ast.Main():
            return f"{pad}{node.name} {_block(node.body, depth)}"
        case ast.Empty():
            return _line(depth, ";")
        case ast.Assignment():
            target = print_expression(node.target)
            return _line(depth, f"{target} {node.operator} {_value(node.value)};")
        case ast.Action():
            return _line(depth, f"{print_expression(node.expression)};")
        case ast.Loop():
            return f"{pad}{_walk(node.walk)}{_body(node.body, depth)}"
        case ast.While():
            return f"{pad}while ({print_expression(node.condition)}){_body(node.body, depth)}"
        case ast.Forever():
            return f"{pad}forever{_body(node.body, depth)}"
        case ast.If():
            return pad + _if(node, depth)
        case ast.Return():
            value = f" {print_expression(node.value)}" if node.value is not None else ""
            return _line(depth, f"return{value};")
        case ast.Parallel():
            return f"{pad}parallel {_block(node.body, depth)}"
        case ast.Dispatch():
            handlers = "".join(
                f"{pad}    {h.kind}({', '.join(map(print_expression, h.parameters))}) "
                f"{_block(h.body, depth + 1)}"
                for h in node.handlers
            )
            return f"{pad}dispatch ({print_expression(node.socket)}) {{\n{handlers}{pad}}}\n"
        case ast.Reset():
            return _line(depth, f"reset {', '.join(n.name for n in node.iterators)};")
        case ast.Attributed():
            return f"{pad}{_attributes(node.attributes)}{_body(node.statement, depth)}"
    text = _declaration(node, depth)  # type: ignore[arg-type]
    if text is None:
        raise TypeError(node)
    return _line(depth, f"{text};")
