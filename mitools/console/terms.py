"""Command lines: `key=value` terms and bare words, in any order.

A tool declares what it takes and gets values by name:

    TERMS = Terms(
        "miset",
        "writes values of a symbol into an image",
        source("image", "FILE", "the image", required=True),
        product("out", "FILE", "the image with the new values"),
        integer("threads", "N", "processes at most", default=1, least=1),
        pairs("set", "NAME=VALUE", "value of a parameter"),
        word("verbose", "say more"),
        phrase("toolname", ("EXT", "TOOL"), "the compiler of files named .EXT"),
        ARCH,
    )
    given = TERMS.parse(arguments)
    given.image, given.set, given.verbose, given.toolname

A key that was not given is its default (None; () when it repeats; {} for pairs; False for a word).
`help` and `version` print and end the command. Every mistake of a line is reported, with what was
probably meant.
"""

from collections.abc import Callable, Sequence
from typing import Any

from mitools.console.closest import suggestion
from mitools.console.diagnostics import UserError, UserErrors, visible
from mitools.console.files import claim

Convert = Callable[[str], Any]


class Term:
    """One thing a command line may hold. Made by `key`, `word`, `phrase` and their relatives."""

    def __init__(
        self,
        name: str,
        shape: str,
        help: str,
        *,
        kind: str = "key",
        convert: Convert = str,
        required: bool = False,
        repeat: bool = False,
        default: Any = None,
        may_be_empty: bool = False,
        role: str | None = None,
        arity: int = 0,
    ):
        self.name = name
        self.shape = shape
        self.help = help
        self.kind = kind
        self.convert = convert
        self.required = required
        self.repeat = repeat
        self.default = default
        self.may_be_empty = may_be_empty
        self.role = role
        self.arity = arity


def key(
    name: str,
    shape: str,
    help: str,
    *,
    required: bool = False,
    repeat: bool = False,
    default: Any = None,
    may_be_empty: bool = False,
    convert: Convert = str,
    role: str | None = None,
) -> Term:
    """`name=value`. `convert` raises ValueError with the reason it does not take a value."""
    return Term(
        name,
        shape,
        help,
        convert=convert,
        required=required,
        repeat=repeat,
        default=default,
        may_be_empty=may_be_empty,
        role=role,
    )


def source(
    name: str, shape: str, help: str, *, required: bool = False, repeat: bool = False
) -> Term:
    """A key that names a file to read: an output of the same name is not removed on failure."""
    return key(name, shape, help, required=required, repeat=repeat, role="source")


def product(name: str, shape: str, help: str, *, required: bool = False) -> Term:
    """A key that names a file to write: claimed, so removed when the command fails."""
    return key(name, shape, help, required=required, role="product")


def integer(
    name: str,
    shape: str,
    help: str,
    *,
    required: bool = False,
    repeat: bool = False,
    default: Any = None,
    least: int | None = None,
    most: int | None = None,
) -> Term:
    """A key whose value is a whole number, decimal or 0x…, within bounds."""

    def convert(text: str) -> int:
        digits = text.strip().lstrip("+-").casefold()
        base = 16 if digits.startswith("0x") else 10
        if len(digits) > 40 or not digits.isascii() or "_" in digits:
            raise ValueError("is not a whole number")
        try:
            value = int(text.strip(), base)
        except ValueError:
            raise ValueError("is not a whole number") from None
        if least is not None and value < least:
            raise ValueError(f"is less than {least}")
        if most is not None and value > most:
            raise ValueError(f"is more than {most}")
        return value

    return key(
        name, shape, help, required=required, repeat=repeat, default=default, convert=convert
    )


def choice(
    name: str, values: Sequence[str], help: str, *, required: bool = False, default: Any = None
) -> Term:
    """A key whose value is one of `values`."""

    def convert(text: str) -> str:
        if text not in values:
            near = suggestion(text, values)
            raise ValueError(f"is none of {', '.join(values)}" + (f"; {near}" if near else ""))
        return text

    return key(name, "|".join(values), help, required=required, default=default, convert=convert)


def pairs(name: str, shape: str, help: str) -> Term:
    """A repeatable key whose value is NAME=VALUE; given as a dict.

    A name given twice with different values is an error.
    """

    def convert(text: str) -> tuple[str, str]:
        left, equals, right = text.partition("=")
        if not equals or not left.strip():
            raise ValueError(f"is not of the form {shape}")
        return left.strip(), right

    return Term(name, shape, help, kind="pairs", convert=convert, repeat=True)


def word(name: str, help: str) -> Term:
    """A bare word; given as True or False. Saying it twice is harmless."""
    return Term(name, "", help, kind="word")


def phrase(name: str, shape: tuple[str, ...], help: str) -> Term:
    """A bare word followed by so many more; repeatable, given as a tuple of tuples."""
    return Term(name, " ".join(shape), help, kind="phrase", repeat=True, arity=len(shape))


def _arch(text: str) -> str:
    from mitools.arch import NAMES

    if text not in NAMES:
        near = suggestion(text, NAMES)
        raise ValueError(
            f"is no machine we know; known: {', '.join(NAMES)}" + (f"; {near}" if near else "")
        )
    return text


ARCH = key("arch", "NAME", "the machine, sdr when not given", convert=_arch)
"""Every tool of the pipeline takes this one; None when not given, see `check_arch`."""


def check_arch(given: str | None, actual: str, what: str) -> None:
    """Raise UserError when `arch=` was given and `what` is for another machine."""
    if given is not None and given != actual:
        raise UserError(
            f"{what} is for the machine {actual}, not for arch={given}",
            remedy=f"say arch={actual}, or build it again with arch={given}",
        )


class Given:
    """The terms of one command line, by attribute; `arch` is also an attribute if declared."""

    def __init__(self, values: dict[str, Any]):
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"term {name} was not declared")

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name]


class Terms:
    """The declaration of one tool's command line."""

    def __init__(self, tool: str, summary: str, *terms: Term, more: str = ""):
        self.tool = tool
        self.summary = summary
        self.terms = terms
        self.more = more
        self.by_name = {t.name: t for t in terms}

    def parse(self, arguments: Sequence[str]) -> Given:
        """The values of a command line. Raises UserError(s); SystemExit after help and version."""
        self._answer(arguments)
        values: dict[str, Any] = {}
        errors: list[UserError] = []
        place = 0
        while place < len(arguments):
            argument = arguments[place]
            place += 1
            name, equals, text = argument.partition("=")
            term = self.by_name.get(name)
            try:
                if not argument:
                    raise UserError("an empty term", remedy="remove the empty quotes")
                if term is None:
                    raise self._unknown(name, bool(equals))
                if term.kind == "phrase":
                    rest = tuple(arguments[place : place + term.arity])
                    place += term.arity
                    if equals or len(rest) < term.arity:
                        raise UserError(f"`{name}` is written {name} {term.shape}")
                    values.setdefault(name, []).append(rest)
                elif term.kind == "word":
                    if equals:
                        raise UserError(f"`{name}` takes no value", None, f"leave out ={text}")
                    values[name] = True
                else:
                    if not equals:
                        raise UserError(f"`{name}` needs a value: {name}={term.shape}")
                    self._put(values, term, text)
            except UserError as error:
                errors.append(error)
        for term in self.terms:
            if term.required and term.name not in values and not any(
                f"`{term.name}" in e.message for e in errors
            ):
                errors.append(
                    UserError(
                        f"`{term.name}=` is missing: {term.help}",
                        remedy=f"add {term.name}={term.shape}",
                    )
                )
            elif term.name not in values:
                values[term.name] = _absent(term)
            elif term.repeat and term.kind != "pairs":
                values[term.name] = tuple(values[term.name])
        if errors:
            errors[-1].notes = ((f"`{self.tool} help` lists the terms", None),)
            raise errors[0] if len(errors) == 1 else UserErrors(errors)
        self._claim(values)
        return Given(values)

    def help(self) -> str:
        """The text of `help`."""
        lines = [f"{self.tool}: {self.summary}", ""]
        rows = [(_form(t), t.help + _extra(t)) for t in self.terms]
        rows += [("help", "print this"), ("version", "print the version")]
        width = min(28, max(len(form) for form, _ in rows))
        lines += [f"  {form:<{width}}  {text}" for form, text in rows]
        if self.more:
            lines += ["", self.more]
        return "\n".join(lines)

    def _answer(self, arguments: Sequence[str]) -> None:
        words = {"-h": "help", "--help": "help", "--version": "version"}
        asked = {words.get(a, a) for a in arguments}
        if "help" in asked and "help" not in self.by_name:
            print(self.help())
            raise SystemExit(0)
        if "version" in asked and "version" not in self.by_name:
            print(version_line(self.tool))
            raise SystemExit(0)

    def _unknown(self, name: str, is_key: bool) -> UserError:
        known = [*self.by_name, "help", "version"]
        near = suggestion(name.lstrip("-"), known)
        kind = "key" if is_key else "word"
        shown = visible(name) + ("=" if is_key else "")
        stripped = name.lstrip("-")
        if near is None and stripped != name and stripped in self.by_name:
            near = f"terms have no dashes: {_form(self.by_name[stripped])}"
        return UserError(f"{self.tool} has no {kind} `{shown}`", remedy=near)

    def _put(self, values: dict[str, Any], term: Term, text: str) -> None:
        if not text and not term.may_be_empty:
            raise UserError(f"`{term.name}=` has no value", remedy=f"{term.name}={term.shape}")
        try:
            value = term.convert(text)
        except ValueError as error:
            raise UserError(f"{term.name}=`{visible(text[:200])}` {error}") from None
        if term.kind == "pairs":
            known = values.setdefault(term.name, {})
            if known.get(value[0], value[1]) != value[1]:
                raise UserError(f"`{term.name}={value[0]}=` is given twice, with different values")
            known[value[0]] = value[1]
        elif term.repeat:
            values.setdefault(term.name, []).append(value)
        elif term.name in values:
            raise UserError(f"`{term.name}=` is given twice", remedy="keep one of them")
        else:
            values[term.name] = value

    def _claim(self, values: dict[str, Any]) -> None:
        inputs: list[str] = []
        for term in self.terms:
            if term.role == "source" and values[term.name]:
                value = values[term.name]
                inputs += value if term.repeat else [value]
        for term in self.terms:
            if term.role == "product" and values[term.name]:
                claim(values[term.name], inputs)


def version_line(tool: str) -> str:
    """What `version` prints."""
    from mitools.version import VERSION

    return f"{tool} {VERSION} (wolframite)"


def _form(term: Term) -> str:
    if term.kind == "word":
        return term.name
    return f"{term.name} {term.shape}" if term.kind == "phrase" else f"{term.name}={term.shape}"


def _extra(term: Term) -> str:
    if term.required:
        return " (must be given)"
    if term.repeat:
        return " (may be repeated)"
    return "" if term.default is None else f" (default {term.default})"


def _absent(term: Term) -> Any:
    if term.kind == "word":
        return False
    if term.kind == "pairs":
        return {}
    return () if term.repeat and term.default is None else term.default
