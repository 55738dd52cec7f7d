"""The syntax tree as text that parses to the same tree."""

from paint.syntax import ast
from paint.syntax.rules import rule_text

COMPARISONS = ("==", "!=", "<=", ">=", "<", ">")
SUM, PRODUCT, OPERAND = 1, 2, 3
"""How tightly operators bind; comparisons are 0."""
INDENT = "    "


def layout_text(layout: ast.Layout) -> str:
    """A whole layout, one statement a line."""
    return "".join(statement_text(statement) + "\n" for statement in layout.statements)


def statement_text(statement: ast.Statement, indent: str = "") -> str:
    """A statement without the line end."""
    if isinstance(statement, ast.Let):
        return f"{indent}let {statement.name} = {expression_text(statement.value)}"
    if isinstance(statement, ast.Rebind):
        calls = "".join(f" : {expression_text(call)}" for call in statement.operations)
        return f"{indent}{statement.name}{calls}"
    if isinstance(statement, ast.Define):
        head = f"{indent}define {statement.name}({' '.join(statement.parameters)}) {{"
        lines = [statement_text(inner, indent + INDENT) for inner in statement.body]
        return "\n".join([head, *lines, indent + "}"])
    if isinstance(statement, ast.Include):
        return f'{indent}include "{statement.path}"'
    text = expression_text(statement)
    # A statement that starts with a minus or a parenthesis would go on the one before.
    return indent + (f"({text})" if text[0] == "-" else text)


def expression_text(node: ast.Expression, least: int = 0) -> str:
    """An expression as one argument; in parentheses if it binds less than `least`."""
    if isinstance(node, ast.Binary):
        text, level = _binary(node)
        return f"({text})" if level < least else text
    if isinstance(node, ast.Unary):
        text = node.operator + expression_text(node.operand, OPERAND)
        return f"({text})" if least else text
    if isinstance(node, ast.Name):
        return node.name
    if isinstance(node, ast.Number):
        return node.text
    if isinstance(node, ast.Symbol):
        return f"('{node.name})" if least else f"'{node.name}"
    if isinstance(node, ast.Text):
        return f'"{node.value}"'
    if isinstance(node, ast.Element):
        return f"@{node.name}"
    if isinstance(node, ast.Route):
        return rule_text(node.rule)
    if isinstance(node, ast.Map):
        entries = (f"{entry.key}:{expression_text(entry.value)}" for entry in node.entries)
        return f"[{' '.join(entries)}]"
    arguments = " ".join(expression_text(argument) for argument in node.arguments)
    return f"{node.name}({arguments})"


def _binary(node: ast.Binary) -> tuple[str, int]:
    level = SUM if node.operator in "+-" else PRODUCT
    if node.operator in COMPARISONS:
        level = 0
    left = _side(node.left, level)
    right = _side(node.right, level + 1)
    return f"{left}{node.operator}{right}", level


def _side(node: ast.Expression, least: int) -> str:
    """An operand: symbols run on to the next blank, so they need parentheses here."""
    return expression_text(node, max(least, 0)) if not isinstance(node, ast.Symbol) else (
        f"('{node.name})"
    )
