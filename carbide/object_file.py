"""Objects as plain dictionaries and as files.

A file is one header line, `carbide-object VERSION LENGTH SHA256`, then the dictionary as JSON of
LENGTH bytes; words are strings of four hexadecimal digits each. Images embed the dictionary.
"""

import json
import struct
from collections.abc import Callable
from typing import Any

from carbide.object import Control, Filter, Object, Segment, SocketUse, SourcePlace, Symbol, Task
from mitools.console import Place, UserError, read_bytes, write_bytes

MAGIC = b"carbide-object"
VERSION = 1
HEADER_LIMIT = 200
"""Bytes in which the header line of any version must end."""


class ObjectError(ValueError):
    """A dictionary that is no object; the message names the part."""


def object_to_dict(object_: Object) -> dict[str, Any]:
    """Plain lists, strings, numbers and dictionaries, for JSON and the like."""
    return {
        "program": object_.program,
        "source": object_.source,
        "arch": object_.arch,
        "parameters": [list(pair) for pair in object_.parameters],
        "code": _segment_out(object_.code),
        "data": [_segment_out(segment) for segment in object_.data],
        "data_end": object_.data_end,
        "stack_start": object_.stack_start,
        "symbols": [
            [s.name, s.type, s.address, s.words, [list(d) for d in s.dimensions]]
            for s in object_.symbols
        ],
        "sockets": [
            [s.name, s.type, s.input_queue, s.output_queue, s.line, s.column]
            for s in object_.sockets
        ],
        "tasks": [[t.number, t.entry, t.active, t.blocked] for t in object_.tasks],
        "filters": [
            [f.input_queue, f.limit, f.maxpass, f.counts_data, f.counts_control, f.state]
            for f in object_.filters
        ],
        "controls": [[c.input_queue, c.name, c.task] for c in object_.controls],
        "places": [[p.address, p.file, p.line, p.column] for p in object_.places],
        "configures_router": object_.configures_router,
        "notes": list(object_.notes),
    }


def object_from_dict(form: Any) -> Object:
    """The object of a dictionary. Raises ObjectError when it is not of the form."""
    part = _Part("the object", form)
    return Object(
        program=part.text("program"),
        source=part.text("source"),
        arch=part.text("arch"),
        parameters=part.each("parameters", lambda p: p.row(str, str)),
        code=part.one("code", _segment_in),
        data=part.each("data", _segment_in),
        data_end=part.number("data_end"),
        stack_start=part.number("stack_start"),
        symbols=part.each("symbols", _symbol_in),
        sockets=part.each(
            "sockets", lambda p: SocketUse(*p.row(str, _TEXT, _NUMBER, _NUMBER, int, int))
        ),
        tasks=part.each("tasks", lambda p: Task(*p.row(int, int, bool, bool))),
        filters=part.each("filters", lambda p: Filter(*p.row(int, int, int, bool, bool, int))),
        places=part.each("places", lambda p: SourcePlace(*p.row(int, str, int, int))),
        configures_router=part.one("configures_router", lambda p: p.is_(bool)),
        notes=part.each("notes", lambda p: p.is_(str)),
        controls=part.each("controls", lambda p: Control(*p.row(_NUMBER, _NUMBER, _NUMBER))),
    )


_TEXT = (str, type(None))
_NUMBER = (int, type(None))


class _Part:
    """A part of the dictionary with its name, so that what is wrong can be said."""

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def is_(self, kinds: Any) -> Any:
        known = kinds if isinstance(kinds, tuple) else (kinds,)
        right = type(self.value) in known
        if not right:
            names = " or ".join("nothing" if k is type(None) else k.__name__ for k in known)
            raise ObjectError(f"{self.name} should be {names}, not {type(self.value).__name__}")
        return self.value

    def one(self, key: str, read: Callable[["_Part"], Any]) -> Any:
        self.is_(dict)
        if key not in self.value:
            raise ObjectError(f"{self.name} has no '{key}'")
        return read(_Part(key, self.value[key]))

    def text(self, key: str) -> str:
        return self.one(key, lambda p: p.is_(str))

    def number(self, key: str) -> int:
        return self.one(key, lambda p: p.is_(int))

    def each(self, key: str, read: Callable[["_Part"], Any]) -> tuple[Any, ...]:
        return self.one(key, lambda p: p.list(read))

    def list(self, read: Callable[["_Part"], Any]) -> tuple[Any, ...]:
        self.is_(list)
        return tuple(read(_Part(f"{self.name}[{k}]", v)) for k, v in enumerate(self.value))

    def row(self, *kinds: Any) -> tuple[Any, ...]:
        if type(self.value) is list and tuple(map(type, self.value)) == kinds:
            return tuple(self.value)  # images have many thousand of these
        self.is_(list)
        if len(self.value) != len(kinds):
            raise ObjectError(f"{self.name} should have {len(kinds)} parts, not {len(self.value)}")
        parts = zip(kinds, self.value, strict=True)
        return tuple(_Part(f"{self.name}[{k}]", v).is_(t) for k, (t, v) in enumerate(parts))


def _symbol_in(part: _Part) -> Symbol:
    name, type_, address, words, dimensions = part.row(str, str, int, int, list)
    sizes = _Part(f"{part.name}[4]", dimensions).list(lambda p: p.row(str, int))
    return Symbol(name, type_, address, words, sizes)


def _segment_out(segment: Segment) -> dict[str, Any]:
    words = segment.words
    return {"address": segment.address, "words": struct.pack(f">{len(words)}H", *words).hex()}


def _segment_in(part: _Part) -> Segment:
    address, text = part.number("address"), part.text("words")
    try:
        data = bytes.fromhex(text)
        words = struct.unpack(f">{len(data) // 2}H", data)
    except (ValueError, struct.error):
        raise ObjectError(f"{part.name} does not hold words of four digits") from None
    if not 0 <= address <= address + len(words) <= 0x10000:
        raise ObjectError(f"{part.name} does not lie in the address space")
    return Segment(address, words)


def object_to_bytes(object_: Object) -> bytes:
    """What an object file holds."""
    body = json.dumps(object_to_dict(object_), ensure_ascii=False, separators=(",", ":")).encode()
    return b"%s %d %d %s\n%s" % (MAGIC, VERSION, len(body), _digest(body), body)


def object_from_bytes(data: bytes, path: str = "object") -> Object:
    """The object of a file's contents; `path` names it in errors. Raises UserError."""
    place = Place(path)
    again = "compile it again"
    header, newline, body = data.partition(b"\n")
    fields = header.split(b" ")
    if not newline or len(header) > HEADER_LIMIT or fields[0] != MAGIC or len(fields) != 4:
        raise UserError("this is no object file of carbide", place, "give a file made by carbide")
    if fields[1] != b"%d" % VERSION:
        version = fields[1].decode("ascii", "replace")
        reason = f"the object file has version {version}; this carbide reads version {VERSION}"
        raise UserError(reason, place, again)
    if fields[2] != b"%d" % len(body):
        length = fields[2].decode("ascii", "replace")
        reason = f"the object file should hold {length} bytes after its header, not {len(body)}"
        raise UserError(reason, place, again)
    if fields[3] != _digest(body):
        raise UserError("the object file is damaged: its checksum differs", place, again)
    try:
        return object_from_dict(json.loads(body))
    except (ObjectError, ValueError, RecursionError) as error:
        raise UserError(f"the object file is damaged: {error}", place, again) from None


def _digest(body: bytes) -> bytes:
    import hashlib  # loads a large library; images need none of it

    return hashlib.sha256(body).hexdigest().encode()


def read_object(path: str) -> Object:
    """Raises UserError."""
    return object_from_bytes(read_bytes(path), path)


def write_object(path: str, object_: Object) -> None:
    """Written whole or not at all. Raises UserError."""
    write_bytes(path, object_to_bytes(object_))
