"""Hypothesis strategies that write small well-formed Tungsten programs, as text.

Every program ends, stays inside its arrays, and reads nothing that was not written before. Types of
expressions are followed while writing, so that the only things left to chance are values.
"""

from typing import NamedTuple

from hypothesis import strategies as st

INTEGERS = ("xp", "u16", "i32", "u32", "i16")
FLOATS = ("sp", "hp")
TYPES = ("xp", "sp", "i32", "u16", "u32", "hp", "i16")
WIDE = ("i32", "u32")
LONG = (*WIDE, "sp")
FLOAT_LITERALS = ("0.0", "1.0", "1.5", "0.1", "3.0", "2.25e-3", "7.0", "0.333")
EXTREMES = {
    "sp": ("1e-40", "3.4e38", "1e-45", "16777217.0", "1.17549435e-38"),
    "hp": ("6e-8", "65504.0", "2049.0", "6.1e-5", "0.0009"),
}
SMALL = ("0", "1", "2", "3", "5", "7", "10")
LARGE = {
    "xp": ("32767", "0x7c00", "1000", "255"),
    "i16": ("32767", "0x1234", "300"),
    "u16": ("65535", "0xff00", "40000"),
    "i32": ("2147483647", "100000", "65536", "0x12345"),
    "u32": ("4294967295", "0x80000000", "70000"),
}
KINDS = ("read", "arithmetic", "arithmetic", "product", "fused", "compare", "unary", "choice")
KINDS += ("extreme", "cast", "integer", "shift", "divide", "call", "logical")


class Text(NamedTuple):
    """An expression; `type` None is an untyped literal."""

    text: str
    type: str | None


class Array(NamedTuple):
    name: str
    type: str
    extents: tuple[int, ...]


class Index(NamedTuple):
    """A loop variable with the least and the greatest value it takes."""

    name: str
    low: int
    high: int


class Function(NamedTuple):
    """Types of the scalar parameters, then the array parameters with the least extents they take.

    `struct` is the tag of a struct parameter in front of both.
    """

    name: str
    scalars: tuple[str, ...]
    arrays: tuple[Array, ...]
    result: str | None
    struct: str | None = None


class Member(NamedTuple):
    """A place inside structs: parts of its text, each with the extents to be indexed behind it."""

    parts: tuple[tuple[str, tuple[int, ...]], ...]
    type: str


class Walker(NamedTuple):
    """An iterator over elements of a type."""

    name: str
    type: str


class Ring(NamedTuple):
    """A FIFO."""

    name: str
    type: str
    capacity: int


def common(a: str, b: str) -> str:
    for type_ in FLOATS:
        if type_ in (a, b):
            return type_
    if (a in WIDE) != (b in WIDE):
        return a if a in WIDE else b
    names = ("u32", "i32") if a in WIDE else ("u16", "xp")
    return names[0] if names[0] in (a, b) else names[1]


class Writer:
    """Writes one program. `draw` is hypothesis's; everything chosen goes through it."""

    def __init__(self, draw, types: tuple[str, ...] = TYPES) -> None:
        self.draw = draw
        self.types = types
        self.scalars: list[tuple[str, str]] = []
        self.constants: list[tuple[str, str]] = []
        self.arrays: list[Array] = []
        self.indices: list[Index] = []
        self.functions: list[Function] = []
        self.ranges: list[Index] = []
        self.members: list[Member] = []
        self.structs: dict[str, list[tuple[str, str, tuple[int, ...]]]] = {}
        self.variables_of: dict[str, list[Array]] = {}
        self.iterators: list[Walker] = []
        self.streams: list[Walker] = []
        self.rings: list[Ring] = []
        self.aliases: set[str] = set()
        self.large = False
        self.serial = 0

    def pick(self, choices):
        return self.draw(st.sampled_from(list(choices)))

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def chance(self, of: int) -> bool:
        return self.number(1, of) == of

    def name(self, letter: str) -> str:
        self.serial += 1
        return f"{letter}{self.serial}"

    # Expressions.

    def literal(self, type_: str) -> str:
        """A literal that stands for a value of the type, without its type written."""
        sign = "-" if type_ not in ("u16", "u32") and self.chance(4) else ""
        if type_ in FLOATS:
            rare = self.chance(8)
            return sign + self.pick(EXTREMES[type_] if rare else FLOAT_LITERALS)
        return sign + self.pick(LARGE[type_] if self.chance(4) else SMALL)

    def typed_literal(self, type_: str) -> Text:
        text = self.literal(type_)
        return Text(f"-({text[1:]}:{type_})" if text[0] == "-" else f"{text}:{type_}", type_)

    def variable(self) -> Text:
        """A plain scalar: variable, constant, param or loop variable."""
        names = self.scalars + self.constants + [(i.name, "xp") for i in self.indices]
        return Text(*self.pick(names)) if names else self.typed_literal(self.pick(self.types))

    def index(self, extent: int) -> str:
        """An index inside [0, extent)."""
        forms: list[str] = [str(self.number(0, extent - 1))]
        for i in self.indices:
            if i.low >= 0 and i.high < extent:
                forms += [i.name, i.name]
                if i.high + 1 < extent:
                    forms.append(f"{i.name}+1")
                forms.append(f"{extent - 1}-{i.name}")
            if i.low >= 1 and i.high - 1 < extent:
                forms.append(f"{i.name}-1")
            if i.low >= 0 and 2 * i.high < extent:
                forms.append(f"2*{i.name}")
            if i.low >= 0 and 2 * i.high + 1 < extent:
                forms.append(f"{i.name}*2+1")
        if extent >= 2 and self.chance(6):
            mask = (1 << extent.bit_length() - 1) - 1
            inner = self.cast(self.expression(0), "xp") if self.chance(3) else None
            forms.append(f"({inner or self.integer_scalar()}) & {mask}")
        return self.pick(forms)

    def integer_scalar(self) -> str:
        """A scalar variable of 16 bits, or a loop variable."""
        names = [n for n, t in self.scalars + self.constants if t in ("xp", "u16", "i16")]
        return self.pick([*names, *(i.name for i in self.indices)] or ["0"])

    def element(self, array: Array) -> str:
        return array.name + "".join(f"[{self.index(extent)}]" for extent in array.extents)

    def member(self, member: Member) -> Text:
        text = "".join(
            part + "".join(f"[{self.index(extent)}]" for extent in extents)
            for part, extents in member.parts
        )
        return Text(text, member.type)

    def read(self) -> Text:
        if self.members and self.chance(3):
            return self.member(self.pick(self.members))
        if self.arrays and not self.chance(3):
            array = self.pick(self.arrays)
            return Text(self.element(array), array.type)
        return self.variable()

    def cast(self, value: Text, type_: str) -> str:
        return value.text if value.type == type_ else f"({type_})({value.text})"

    def operands(self, depth: int) -> tuple[Text, Text]:
        """Two sides of an operation; one may be an untyped literal."""
        left = self.expression(depth - 1)
        if self.chance(3):
            assert left.type is not None
            right = Text(self.literal(left.type), None)
            return (left, right) if self.chance(2) or left.type == "i16" else (right, left)
        return left, self.expression(depth - 1)

    def expression(self, depth: int = 2) -> Text:
        """An expression that has a type."""
        if depth <= 0:
            return self.typed_literal(self.pick(self.types)) if self.chance(6) else self.read()
        return getattr(self, f"_{self.pick(KINDS)}")(depth)

    def _read(self, depth: int) -> Text:
        return self.read()

    def _binary(self, op: str, left: Text, right: Text) -> Text:
        type_ = common(left.type or right.type, right.type or left.type)
        return Text(f"({left.text} {op} {right.text})", type_)

    def _arithmetic(self, depth: int) -> Text:
        return self._binary(self.pick("+-"), *self.operands(depth))

    def _product(self, depth: int) -> Text:
        return self._binary("*", *self.operands(depth))

    def _fused(self, depth: int) -> Text:
        """The shapes of section 8, with plain scalars and without."""
        parts = [self.variable() if self.chance(2) else self.read() for _ in range(3)]
        if self.scalars and not any((part.text, part.type) in self.scalars for part in parts):
            name, type_ = self.pick(self.scalars)
            parts[self.number(0, 2)] = Text(name, type_)
        a, b, c = parts
        shape = self.pick(("{a} - {b}*{c}", "{a} + {b}*{c}", "{b}*{c} + {a}", "{b}*{c} - {a}"))
        type_ = common(common(b.type, c.type), a.type)
        return Text("(" + shape.format(a=a.text, b=b.text, c=c.text) + ")", type_)

    def _compare(self, depth: int) -> Text:
        left, right = self.operands(depth)
        op = self.pick(("<", ">", "<=", ">=", "==", "!="))
        return Text(f"({left.text} {op} {right.text})", "xp")

    def _logical(self, depth: int) -> Text:
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        return Text(f"({left.text} {self.pick(('&&', '||'))} {right.text})", "xp")

    def _unary(self, depth: int) -> Text:
        value = self.expression(depth - 1)
        op = self.pick(("-", "!") if value.type in FLOATS else ("-", "!", "~"))
        return Text(f"({op}{value.text})", "xp" if op == "!" else value.type)

    def _choice(self, depth: int) -> Text:
        condition = self.condition(depth - 1)
        yes, no = self.operands(depth)
        type_ = common(yes.type or no.type, no.type or yes.type)
        return Text(f"({condition} ? {yes.text} : {no.text})", type_)

    def _extreme(self, depth: int) -> Text:
        if self.chance(3):
            value = self.expression(depth - 1)
            return Text(f"abs({value.text})", value.type)
        left, right = self.operands(depth)
        type_ = common(left.type or right.type, right.type or left.type)
        return Text(f"{self.pick(('min', 'max'))}({left.text}, {right.text})", type_)

    def _cast(self, depth: int) -> Text:
        type_ = self.pick(self.types)
        return Text(f"({type_})({self.expression(depth - 1).text})", type_)

    def _integer_operand(self, depth: int) -> Text:
        value = self.expression(depth - 1)
        if value.type in FLOATS:
            value = Text(f"(xp)({value.text})", "xp")
        return value

    def _integer(self, depth: int) -> Text:
        left, right = self._integer_operand(depth), self._integer_operand(depth)
        if self.chance(3):
            right = Text(self.pick(SMALL), None)
        return self._binary(self.pick(("&", "|", "^", "%", "%")), left, right)

    def _shift(self, depth: int) -> Text:
        left, right = self._integer_operand(depth), self._integer_operand(depth)
        if not self.chance(3):
            right = Text(self.pick(("0", "1", "3", "15", "16", "31", "33")), None)
        return Text(f"({left.text} {self.pick(('<<', '>>'))} {right.text})", left.type)

    def _divide(self, depth: int) -> Text:
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        if self.chance(3) and left.type != "hp":
            literals = ("3.0", "0.1", "7.0") if left.type in FLOATS else ("3", "7", "10", "1")
            right = Text(self.pick(literals), None)
        return self._binary("/", left, right)

    def _call(self, depth: int) -> Text:
        functions = [f for f in self.functions if f.result and self._callable(f)]
        if not functions:
            return self.read()
        function = self.pick(functions)
        return Text(self.call(function), function.result)

    def _callable(self, function: Function) -> bool:
        return (function.struct is None or function.struct in self.variables_of) and all(
            any(self._fits(array, wanted) for array in self.arrays) for wanted in function.arrays
        )

    @staticmethod
    def _fits(array: Array, wanted: Array) -> bool:
        return (
            array.type == wanted.type
            and len(array.extents) == 1
            and array.extents[0] >= wanted.extents[0]
        )

    def call(self, function: Function) -> str:
        """A call. Two array parameters may well get the same array."""
        arguments = [self.cast(self.expression(0), type_) for type_ in function.scalars]
        for wanted in function.arrays:
            fitting = [a.name for a in self.arrays if self._fits(a, wanted)]
            arguments.append(self.pick(fitting))
        if function.struct:
            arguments.insert(0, self.element(self.pick(self.variables_of[function.struct])))
        return f"{function.name}({', '.join(arguments)})"

    def condition(self, depth: int = 1) -> str:
        return self._compare(depth).text if not self.chance(4) else self.expression(depth).text

    # Statements.

    def target(self) -> Text:
        if self.members and self.chance(3):
            return self.member(self.pick(self.members))
        if self.arrays and (not self.scalars or not self.chance(3)):
            array = self.pick(self.arrays)
            return Text(self.element(array), array.type)
        return Text(*self.pick(self.scalars))

    def assignment(self, depth: int = 2) -> str:
        depth += 2 if self.large and self.chance(4) else 0
        target = self.target()
        op = self.pick(("<-", "<-", "=", "←", "+=", "<+-", "-=", "*="))
        value = self.expression(depth)
        if op in ("+=", "<+-", "-=") and self.chance(2):
            value = self._product(1)
            if value.type != target.type:  # a product of another type: how it rounds is not said
                value = Text(self.cast(value, target.type), target.type)
        elif self.chance(8):
            value = Text(self.literal(target.type), None)
        return f"{target.text} {op} {value.text};"

    def block(self, size: int, depth: int) -> str:
        marks = len(self.scalars), len(self.arrays)
        lines = [self.statement(depth) for _ in range(self.number(1, size))]
        if all("∑" in line for line in lines):  # else the loop around it is a walk of the sum
            lines.append(self.assignment())
        del self.scalars[marks[0] :], self.arrays[marks[1] :]
        return "{ " + " ".join(lines) + " }"

    def statement(self, depth: int) -> str:
        kinds = ["assignment", "assignment", "vector", "vector", "sum", "last"]
        if depth > 0:
            kinds += ["loop", "while", "if", "local", "procedure", "conditional_copy", "parallel"]
            kinds += ["struct_copy"] * bool(self.variables_of) + ["dots"]
            kinds += ["walk", "walk"] * bool(self.iterators) + ["ring"] * bool(self.rings)
        return getattr(self, f"_write_{self.pick(kinds)}")(depth)

    def _write_assignment(self, depth: int) -> str:
        return self.assignment()

    def _range(self, most: int) -> tuple[str, int, int]:
        """Text of a range, least and greatest value; may be empty at run time."""
        if self.chance(3):
            scalar = self.integer_scalar()
            return f"[{self.number(0, 1)},({scalar}) & {most - 1 | 1})", 0, (most - 1 | 1) - 1
        low = self.number(0, 2) if most > 3 else 0
        high = self.number(low, most)
        return f"[{low},{high})", low, max(high - 1, low)

    def _walk(self, most: int = 8) -> tuple[str, Index]:
        """Text and variable of a loop; over a named range of its own, or one of the program's."""
        free = [r for r in self.ranges if r not in self.indices and r.high < most]
        if free and self.chance(2):
            index = self.pick(free)
            return f"∀{index.name} ", index
        text, low, high = self._range(most)
        index = Index(self.name("j"), low, high)
        mark = self.pick(("∀", "forall ", ""))
        return f"{mark}{index.name} in {text} ", index

    def _write_struct_copy(self, depth: int) -> str:
        variables = self.variables_of[self.pick(self.variables_of)]
        return f"{self.element(self.pick(variables))} <- {self.element(self.pick(variables))};"

    def _write_walk(self, depth: int) -> str:
        """Elements from or to an iterator, or a stream that holds its descriptor."""
        iterator = self.pick(self.iterators)
        name = iterator.name
        before = f"reset {name}; " if self.chance(3) else ""
        if self.streams and self.chance(3):
            stream = self.pick(self.streams).name
            before += f"{stream} = {name}; "
            name = f"({iterator.type})({stream}[])"
            return f"{before}{self.target().text} <- {name};"
        if self.chance(3):
            return f"{before}{name}[] <- {self.expression(1).text};"
        if self.chance(2):
            return f"{before}{self.target().text} <- {name}[];"
        walk, index = self._walk()
        self.indices.append(index)
        target, value = self._element(), self.expression(1)
        self.indices.pop()
        choices = (f"{target.text} <- {name}[]", f"{name}[] <- {value.text}")
        choices += (f"{target.text} <- {name}[] * {value.text}",)
        return f"{before}{walk}{self.pick(choices)};"

    def _element(self) -> Text:
        array = self.pick(self.arrays)
        return Text(self.element(array), array.type)

    def _write_ring(self, depth: int) -> str:
        """Elements into a FIFO, and all of them out again."""
        ring = self.pick(self.rings)
        count = self.number(1, ring.capacity)
        index = Index(self.name("j"), 0, count - 1)
        walk = f"∀{index.name} in [0,{count}) "
        self.indices.append(index)
        value, target = self.expression(1), self._element()
        self.indices.pop()
        last = self.name("j")
        self.indices.append(Index(last, 0, count - 1))
        target = self._element()
        self.indices.pop()
        between = self.assignment()
        return (
            f"{walk}{ring.name}[] <- {value.text}; {between} "
            f"∀{last} in [0,{count}) {target.text} <- {ring.name}[];"
        )

    def _write_dots(self, depth: int) -> str:
        """A sum in pieces, kept in the accumulator between them."""
        floats = [a for a in self.arrays if a.type in FLOATS]
        if not floats:
            return self.assignment()
        type_ = self.pick(floats).type
        arrays = [a for a in floats if a.type == type_]
        targets = [n for n, t in self.scalars if t == type_]
        if not targets:
            return self.assignment()
        target, lines = self.pick(targets), []
        count = self.number(2, 3)
        for piece in range(count):
            attributes = ["dot.state(on)"] * (piece > 0)
            attributes += ["dot.load(off)"] * (piece < count - 1)
            walk, index = self._walk()
            self.indices.append(index)
            a, b = self.element(self.pick(arrays)), self.element(self.pick(arrays))
            self.indices.pop()
            lines.append(f"[[{', '.join(attributes)}]] {walk}{target} = ∑ {a}*{b};")
        return " ".join(lines)

    def _write_vector(self, depth: int) -> str:
        """∀ over array elements: what becomes vector instructions."""
        walks = [self._walk() for _ in range(self.pick((1, 1, 1, 2)))]
        if len({index for _, index in walks}) < len(walks):
            walks.pop()
        self.indices += [index for _, index in walks]
        if self.members and self.chance(3):
            target = self.member(self.pick(self.members))
        else:
            target = self._element() if self.arrays else self.target()
        op = self.pick(("<-", "<-", "<-", "<+-", "-="))
        value = self.expression(1) if not self.chance(4) else self.expression(2)
        if op != "<-":
            value = Text(self.cast(value, target.type), target.type)
        del self.indices[-len(walks) :]
        return "".join(text for text, _ in walks) + f"{target.text} {op} {value.text};"

    def _write_last(self, depth: int) -> str:
        """A place that every round writes or changes: what remains is the last round's."""
        target = self.target() if self.chance(2) else None
        if target is None and self.scalars:
            target = Text(*self.pick(self.scalars))
        target = target or self.target()
        walk, index = self._walk()
        self.indices.append(index)
        value = Text(index.name, "xp") if self.chance(3) else self.expression(1)
        second = f" {self.assignment()}" if self.chance(3) else ""
        self.indices.pop()
        op = self.pick(("<-", "<-", "+=", "-=", "*="))
        if op in ("+=", "-="):
            value = Text(self.cast(value, target.type), target.type)
        body = f"{target.text} {op} {value.text};"
        return f"{walk}{{ {body}{second} }}" if second else walk + body

    def _write_sum(self, depth: int) -> str:
        """∑ over an array, or of products of two of one type, in one or two walks."""
        found = [a for a in self.arrays if a.type in FLOATS] or self.arrays
        targets = [n for n, t in self.scalars if t in FLOATS] or [n for n, _ in self.scalars]
        if not found or not targets:
            return self.assignment()
        walks = [self._walk() for _ in range(self.pick((1, 1, 2)))]
        if len({index for _, index in walks}) < len(walks):
            walks.pop()
        self.indices += [index for _, index in walks]
        first = self.pick(found)
        same = [a for a in found if a.type == first.type]
        target = [n for n, t in self.scalars if t == first.type] or targets
        product = not self.chance(3)
        text = self.element(first) + (f"*{self.element(self.pick(same))}" if product else "")
        del self.indices[-len(walks) :]
        op = self.pick(("=", "=", "<-", "+="))
        place = self.pick(target)
        if len(walks) == 2 and self.chance(2):  # a matrix-vector product, or the like
            rows = [a for a in self.arrays if walks[0][1].high < a.extents[0]]
            rows = [a for a in rows if len(a.extents) == 1]
            if rows:
                place = f"{self.pick(rows).name}[{walks[0][1].name}]"
        return "".join(walk for walk, _ in walks) + f"{place} {op} ∑ {text};"

    def _write_parallel(self, depth: int) -> str:
        """Arms that share nothing: each writes its own array, reads that and what nobody writes."""
        if len(self.arrays) < 2 or self.chance(2):
            return self._write_vector(depth)
        kept = self.scalars, self.members, self.ranges
        self.scalars, self.members = [], []
        arrays, functions, self.functions = self.arrays, self.functions, []
        apart = [a for a in arrays if a.name not in self.aliases]
        arms = []
        for array in apart[: self.number(2, 4)]:
            self.arrays = [array]
            arms.append(self._write_vector(0) if self.chance(2) else self.block(2, 0))
        self.arrays, self.functions = arrays, functions
        self.scalars, self.members, self.ranges = kept
        return "parallel { " + " ".join(arms) + " }"

    def _write_loop(self, depth: int) -> str:
        walk, index = self._walk(5)
        self.indices.append(index)
        body = self.block(3, depth - 1) if self.chance(2) else self.assignment()
        self.indices.pop()
        return walk + body

    def _write_while(self, depth: int) -> str:
        counter = self.name("w")
        condition = self.condition()
        body = self.block(2, depth - 1)
        limit = self.number(0, 4)
        return (
            f"xp {counter} = 0; while ({counter} < {limit} && {condition}) "
            f"{{ {counter} += 1; {body} }}"
        )

    def _write_if(self, depth: int) -> str:
        text = f"if ({self.condition()}) {self.block(2, depth - 1)}"
        return text + f" else {self.block(2, depth - 1)}" if self.chance(2) else text

    def _write_conditional_copy(self, depth: int) -> str:
        """A copy and a conditional overwrite, in the forms of section 9."""
        target = Text(*self.pick(self.scalars))
        default = self.pick((self.read().text, self.literal(target.type), self.expression(1).text))
        branch = self.pick((self.read().text, self.literal(target.type)))
        condition = self.condition()
        otherwise = f" else {{ {target.text} <- {self.read().text}; }}" if self.chance(3) else ""
        return (
            f"{target.text} <- {default}; if ({condition}) {{ {target.text} <- {branch}; }}"
            + otherwise
        )

    def _write_local(self, depth: int) -> str:
        type_ = self.pick(self.types)
        value = self.expression(1).text
        name = self.name("l")
        if self.chance(4):
            extent = self.number(1, 6)
            values = ", ".join(self.literal(type_) for _ in range(extent))
            self.arrays.append(Array(name, type_, (extent,)))
            return f"{type_} {name}[{extent}] = {{{values}}};"
        self.scalars.append((name, type_))
        return f"{type_} {name} {self.pick(('=', '<-', '←'))} {value};"

    def _write_procedure(self, depth: int) -> str:
        found = [f for f in self.functions if f.result is None and self._callable(f)]
        return f"{self.call(self.pick(found))};" if found else self.assignment()

    # Declarations.

    def declare_constants(self) -> list[str]:
        lines = []
        for _ in range(self.number(0, 2)):
            type_, name = self.pick(self.types), self.name("C")
            lines.append(f"{type_} const {name} = {self.literal(type_)};")
            self.constants.append((name, type_))
        for _ in range(self.number(0, 2)):
            type_, name = self.pick(self.types), self.name("P")
            lines.append(f"{type_} param {name} = {self.literal(type_)};")
            self.constants.append((name, type_))
        return lines

    def declare_variables(self) -> list[str]:
        lines = []
        for place in range(self.number(1, 4)):
            type_, name = self.pick(self.types), self.name("a")
            extents = (self.number(2, 9),) if not self.chance(4) else (2, self.number(1, 5))
            if place == 0:
                extents = (self.number(4, 9 if not self.chance(5) else 40),)
            row = self.literals(type_, extents)
            dimensions = "".join(
                f"[{self.pick(('', f'd{k}='))}{extent}]" for k, extent in enumerate(extents)
            )
            lines.append(f"{type_} {name}{dimensions} = {row};")
            self.arrays.append(Array(name, type_, extents))
        for _ in range(self.number(6, 14) if self.large else self.number(1, 3)):
            type_, name = self.pick(self.types), self.name("s")
            lines.append(f"{type_} {name} = {self.literal(type_)};")
            self.scalars.append((name, type_))
        return lines

    def declare_ranges(self) -> list[str]:
        """Named ranges with constant bounds, for arrays' own lengths most of all."""
        lines = []
        for _ in range(self.number(0, 2)):
            index = Index(self.name("r"), 0, self.pick(self.arrays).extents[-1] - 1)
            if self.chance(3):
                index = Index(index.name, 1, max(index.high - 1, 1))
            self.ranges.append(index)
            lines.append(f"let {index.name} in [{index.low},{index.high + 1});")
        return lines

    def literals(self, type_: str, extents: tuple[int, ...]) -> str:
        inner = extents[1:]
        rows = (self.literals(type_, inner) if inner else self.literal(type_) for _ in
                range(extents[0]))  # fmt: skip
        return "{" + ", ".join(rows) + "}"

    def declare_function(self) -> str:
        """A function of scalars, arrays and structs; only those without a result write."""
        name = self.name("f")
        scalars = tuple(self.pick(self.types) for _ in range(self.number(1, 2)))
        arrays = tuple(
            Array(self.name("p"), self.pick(self.arrays).type, (self.number(2, 4),))
            for _ in range(self.pick((0, 1, 1, 2)))
        )
        result = self.pick(self.types) if self.chance(2) else None
        struct = self.pick(self.structs) if self.structs and self.chance(3) else None
        names = [self.name("v") for _ in scalars]
        kept = self.scalars, self.arrays, self.functions, self.members, self.variables_of
        rings, iterators, ranges = self.rings, self.iterators, self.ranges
        self.scalars, self.arrays = list(zip(names, scalars, strict=True)), list(arrays)
        self.rings, self.iterators, self.members, self.variables_of = [], [], [], {}
        self.ranges = []
        parameters = [f"{t} {n}" for n, t in self.scalars]
        parameters += [f"{array.type} {array.name}[]" for array in arrays]
        if struct:
            own = self.name("t")
            parameters.insert(0, f"struct {struct} {own}")
            self.members = self.members_of(struct, ((own, ()),))
        if result:
            self.arrays = []
            body = "".join(self._write_local(0) for _ in range(self.number(0, 2)))
            self.arrays += arrays
            value = self.cast(self.expression(2), result)
            early = ""
            if self.chance(3):
                early = f"if ({self.condition()}) return {self.cast(self.read(), result)}; "
            body += f"{early}return {value};"
        else:
            most = 5 if self.large else 2
            body = " ".join(self.statement(self.large) for _ in range(self.number(1, most)))
        self.scalars, self.arrays, self.functions, self.members, self.variables_of = kept
        self.rings, self.iterators, self.ranges = rings, iterators, ranges
        self.functions.append(Function(name, scalars, arrays, result, struct))
        return f"function {name}({', '.join(parameters)}) {{ {body} }}"

    def members_of(self, tag: str, path: tuple) -> list[Member]:
        """The scalar places inside a struct that stands at a path."""
        return [
            Member((*path, (f".{name}", extents)), type_)
            for name, type_, extents in self.structs[tag]
        ]

    def declare_structs(self) -> list[str]:
        """A struct, perhaps with a union inside, its variables and an array of it."""
        if not self.chance(3):
            return []
        tag, fields, text = self.name("S"), [], []
        for _ in range(self.number(1, 3)):
            type_, name = self.pick(self.types), self.name("m")
            extents = (self.number(1, 4),) if self.chance(3) else ()
            fields.append((name, type_, extents))
            text.append(f"{type_} {name}{''.join(f'[{e}]' for e in extents)};")
        if self.chance(2):
            halves, whole, number = self.name("m"), self.name("m"), self.name("m")
            fields += [(halves, "xp", (2,)), (whole, "sp", ()), (number, "u32", ())]
            text.append(f"union {{ xp {halves}[2]; sp {whole}; u32 {number}; }};")
        self.structs[tag] = fields
        one, several, count = self.name("t"), self.name("t"), self.number(1, 3)
        self.variables_of[tag] = [Array(one, tag, ()), Array(several, tag, (count,))]
        self.members += self.members_of(tag, ((one, ()),))
        self.members += self.members_of(tag, ((several, (count,)),))
        return [
            f"struct {tag} {{ {' '.join(text)} }} {one};",
            f"struct {tag} {several}[{count}];",
        ]

    def declare_ports(self) -> list[str]:
        """Other names of arrays, iterators, FIFOs, streams."""
        lines = []
        apart = list(self.arrays)
        if self.chance(4):
            array, type_, name = self.pick(apart), self.pick(self.types), self.name("a")
            size = {True: 2, False: 1}
            words = size[array.type in LONG]
            for extent in array.extents:
                words *= extent
            extent = words // size[type_ in LONG]
            if type_ not in LONG or array.type in LONG:
                lines.append(f"{type_} {name}[{extent}] address(&{array.name});")
                self.arrays.append(Array(name, type_, (extent,)))
                self.aliases |= {name, array.name}
        if self.chance(3):
            lines.append(self._iterator(self.pick(apart)))
        if self.iterators and self.chance(2):
            name = self.name("e")
            lines.append(f"stream {name};")
            self.streams.append(Walker(name, ""))
        if self.chance(3):
            type_, memory, name = self.pick(self.types), self.name("b"), self.name("q")
            capacity = self.number(1, 8)
            lines.append(f"{type_} {memory}[{capacity}];")
            lines.append(f"{type_} fifo {name} = {{.mem={memory}}};")
            self.rings.append(Ring(name, type_, capacity))
        return lines

    def _iterator(self, array: Array) -> str:
        """One or two walks whose index stays inside the array's first row."""
        name, extent = self.name("it"), array.extents[-1]
        row = array.name + "[0]" * (len(array.extents) - 1)
        outer, inner = self.name("j"), self.name("k")
        first = self.number(1, extent)
        second = extent // first
        forms = [f"{outer} in [0,{extent}) {row}[{outer}]"]
        forms.append(f"{outer} in [0,{extent}) {row}[{extent - 1}-{outer}]")
        forms.append(f"∀inf {outer} in [0,{extent}) {row}[{outer}]")
        walks = f"{outer} in [0,{second}) {inner} in [0,{first})"
        forms.append(f"{walks} {row}[{outer}*{first} + {inner}]")
        forms.append(f"{walks} {row}[{outer} + {inner}*{second}]")
        self.iterators.append(Walker(name, array.type))
        return f"iterator {name} = {self.pick(forms)};"

    def program(self) -> str:
        lines = self.declare_constants()
        lines += self.declare_variables()
        lines += self.declare_ranges()
        lines += self.declare_structs()
        lines += self.declare_ports()
        for _ in range(self.number(0, 4 if self.large else 2)):
            lines.append(self.declare_function())
        count = self.number(6, 16) if self.large else self.number(1, 6)
        body = [self.statement(2) for _ in range(count)]
        return "\n".join([*lines, "{", *(f"  {line}" for line in body), "}", ""])


@st.composite
def programs(draw, types: tuple[str, ...] = TYPES, large: bool = False) -> str:
    """The text of a program for one PE; `large` ones run out of registers."""
    writer = Writer(draw, types)
    writer.large = large
    return writer.program()


class Exchange(NamedTuple):
    """Elements of one type that go from one PE to the other."""

    to_right: bool
    type: str
    count: int


class Pair(NamedTuple):
    """Two programs side by side; `there` and `back` name their sockets in each."""

    left: str
    right: str


class Talker(Writer):
    """Writes one side of a pair: the exchanges in order, with other statements between."""

    def __init__(self, draw, right: bool, sockets: dict[bool, str | None]) -> None:
        super().__init__(draw)
        self.right, self.sockets = right, sockets

    def socket(self, to_right: bool) -> str:
        return "there" if to_right else "back"

    def talk(self, exchanges: list[Exchange]) -> str:
        lines = []
        for to_right in sorted({e.to_right for e in exchanges}):
            type_ = self.sockets[to_right]
            lines.append(f"{f'{type_} ' if type_ else ''}socket {self.socket(to_right)};")
        lines += self.declare_constants()
        lines += self.declare_variables()
        targets = []
        for exchange in exchanges:
            if exchange.to_right == self.right:
                array = Array(self.name("r"), exchange.type, (exchange.count,))
                lines.append(f"{exchange.type} {array.name}[{exchange.count}];")
                targets.append(array)
        body = []
        for exchange in exchanges:
            body += [self.statement(1) for _ in range(self.number(0, 1))]
            if exchange.to_right == self.right:
                array = targets.pop(0)
                body.append(self.receive(exchange, array))
                self.arrays.append(array)
            else:
                body.append(self.send(exchange))
        body += [self.statement(1) for _ in range(self.number(0, 2))]
        return "\n".join([*lines, "{", *(f"  {line}" for line in body), "}", ""])

    def send(self, exchange: Exchange) -> str:
        """A send of `count` elements, as one transfer or one at a time."""
        socket = self.socket(exchange.to_right)
        index = Index(self.name("j"), 0, exchange.count - 1)
        self.indices.append(index)
        value = self.expression(self.number(0, 2))
        self.indices.pop()
        untyped = self.sockets[exchange.to_right] is None
        text = self.cast(value, exchange.type) if untyped else value.text
        if exchange.count == 1:
            index_of_one = f"xp {index.name} = 0; " if index.name in text else ""
            return f"{{ {index_of_one}{socket}[] <- {text}; }}"
        return f"∀{index.name} in [0,{exchange.count}) {socket}[] <- {text};"

    def receive(self, exchange: Exchange, array: Array) -> str:
        socket = self.socket(exchange.to_right)
        if exchange.count == 1:
            return f"{array.name}[0] <- {socket}[];"
        index = Index(self.name("j"), 0, exchange.count - 1)
        place = f"{array.name}[{index.name}]"
        if self.chance(4):
            place = f"{array.name}[{exchange.count - 1}-{index.name}]"
        walk = f"∀{index.name} in [0,{exchange.count}) "
        if self.sockets[exchange.to_right] is None or not self.chance(3):
            return f"{walk}{place} <- {socket}[];"
        self.indices.append(index)
        other = self.read().text
        self.indices.pop()
        return f"{walk}{place} <- {socket}[] {self.pick('+-*')} {other};"


@st.composite
def pairs(draw) -> Pair:
    """Two programs that exchange elements over `there` (left to right) and `back`."""
    sockets = {
        to_right: draw(st.none() | st.sampled_from(TYPES)) for to_right in (False, True)
    }
    exchanges = []
    for _ in range(draw(st.integers(1, 4))):
        to_right = draw(st.booleans())
        type_ = sockets[to_right] or draw(st.sampled_from(TYPES))
        exchanges.append(Exchange(to_right, type_, draw(st.integers(1, 9))))
    left, right = (Talker(draw, side, sockets).talk(exchanges) for side in (False, True))
    return Pair(left, right)


class Reactor(Writer):
    """Writes a PE that answers every element that reaches it."""

    def react(self, there: str, back: str) -> str:
        """Text of `forever dispatch`, with 32-bit types on both sockets."""
        lines = [f"{there} socket there;", f"{back} socket back;"]
        lines += self.declare_constants()
        lines += self.declare_variables()
        value = self.name("v")
        taken = self.chance(2)
        lines.append(f"forever dispatch(there) {{ wavelet({value if taken else ''}) {{")
        if not taken:
            lines.append(f"  {there} {value} <- there[];")
        self.scalars.append((value, there))
        lines += [f"  {self.statement(1)}" for _ in range(self.number(0, 2))]
        lines += [f"  back[] <- {self.expression(2).text};", "} }", ""]
        return "\n".join(lines)


class Asker(Talker):
    """Writes the PE that sends to a `Reactor` and takes its answers."""

    def ask(self, there: str, back: str) -> str:
        lines = [f"{there} socket there;", f"{back} socket back;"]
        lines += self.declare_constants()
        lines += self.declare_variables()
        body = []
        for _ in range(self.number(1, 3)):
            count = self.number(1, 9)
            array = Array(self.name("r"), back, (count,))
            lines.append(f"{back} {array.name}[{count}];")
            send = self.send(Exchange(True, there, count))
            receive = self.receive(Exchange(False, back, count), array)
            arms = f"parallel {{ {receive} {send} }}"
            if self.chance(3):
                lines += self._ring_for(back, count)
                arms = f"parallel {{ {self.through(count, array)} {send} }}"
            kept = "[[uthread.enable(on)]] " if self.chance(3) else ""
            body.append(arms if self.chance(2) else f"{kept}{send} {receive}")
            self.arrays.append(array)
            body += [self.statement(1) for _ in range(self.number(0, 2))]
        return "\n".join([*lines, "{", *(f"  {line}" for line in body), "}", ""])


    def _ring_for(self, type_: str, count: int) -> list[str]:
        memory, ring = self.name("b"), self.name("q")
        capacity = self.number(1, count)
        self.rings.append(Ring(ring, type_, capacity))
        return [f"{type_} {memory}[{capacity}];", f"{type_} fifo {ring} = {{.mem={memory}}};"]

    def through(self, count: int, array: Array) -> str:
        """Answers go into a FIFO, smaller than they are many, and out of it, side by side."""
        ring = self.rings.pop().name
        j, k = self.name("j"), self.name("j")
        self.indices.append(Index(k, 0, count - 1))
        value = self.pick(("", f" + {self.typed_literal(array.type).text}"))
        self.indices.pop()
        return (
            f"∀{j} in [0,{count}) {ring}[] <- back[]; "
            f"∀{k} in [0,{count}) {array.name}[{k}] <- {ring}[]{value};"
        )


@st.composite
def reactions(draw) -> Pair:
    """A PE that asks, and one that answers with `forever dispatch`."""
    there, back = (draw(st.sampled_from(("sp", "i32", "u32"))) for _ in range(2))
    sockets: dict[bool, str | None] = {True: there, False: back}
    asker = Asker(draw, False, sockets).ask(there, back)
    return Pair(asker, Reactor(draw).react(there, back))
