"""Printed trees parse to themselves."""

from hypothesis import HealthCheck, example, given, settings

from carbide.syntax import ast, parse_text, print_program
from tests.carbide.random_programs import programs
from tests.carbide.syntax.trees import EXPRESSION, PROGRAM

QUICK = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def assigned(expression: ast.Expression) -> ast.Program:
    return ast.Program("t.w", (ast.Assignment(ast.Name("a"), "<-", expression),))


@QUICK
@given(PROGRAM)
def test_a_printed_program_is_the_same_program(program):
    text = print_program(program)
    assert parse_text(text, "t.w") == program, text


@QUICK
@given(EXPRESSION)
@example(ast.Binary("-", ast.Name("a"), ast.Binary("-", ast.Name("b"), ast.Name("c"))))
@example(ast.Binary("*", ast.Sum(ast.Name("a")), ast.Name("b")))
@example(ast.Unary("-", ast.Unary("-", ast.Name("a"))))
def test_a_printed_expression_is_the_same_expression(expression):
    program = assigned(expression)
    text = print_program(program)
    assert parse_text(text, "t.w") == program, text


@QUICK
@given(programs())
def test_random_programs(text):
    program = parse_text(text, "t.w")
    assert parse_text(print_program(program), "t.w") == program


def test_a_choice_between_a_number_and_a_view_is_no_typed_number():
    (statement,) = parse_text("a <- a ? 0 : xp:b;", "t.w").items
    assert statement.value.yes == ast.Number("0", 0, None)
    assert statement.value.no == ast.View("xp", ast.Name("b"))
