"""Object files: whole round trips, and every kind of damage is an error with the file's name."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carbide.object import (
    Filter,
    Object,
    Segment,
    SocketUse,
    SourcePlace,
    Symbol,
    Task,
)
from carbide.object_file import (
    ObjectError,
    object_from_bytes,
    object_from_dict,
    object_to_bytes,
    object_to_dict,
    read_object,
    write_object,
)
from mitools.console import UserError

OBJECT = Object(
    program="r⃗₀",
    source="a b.w",
    arch="sdr",
    parameters=(("Δt", "0.5"), ("N", "4")),
    code=Segment(0, (0xB100, 1, 0xFFFF)),
    data=(Segment(0x20, (1, 2)), Segment(0x7C00, (0x8000,))),
    data_end=0x22,
    stack_start=0x5FF0,
    symbols=(Symbol("x", "sp", 0x20, 2, (("n", 4), ("m", 2))), Symbol("s", "xp", 0x21, 1)),
    sockets=(SocketUse("rx", None, 0, None, 3, 8), SocketUse("tx", "sp", None, 7, 4, 8)),
    tasks=(Task(8, 0, True, False), Task(0, 2, False, True)),
    filters=(Filter(0, 3, 1, True, False, 2),),
    places=(SourcePlace(0, "a b.w", 1, 1),),
    configures_router=True,
    notes=("a note",),
)


def test_a_file_holds_the_object(tmp_path):
    path = str(tmp_path / "a.obj")
    write_object(path, OBJECT)
    assert read_object(path) == OBJECT


def test_the_dictionary_is_plain():
    form = object_to_dict(OBJECT)
    assert object_from_dict(json.loads(json.dumps(form))) == OBJECT


def test_equal_objects_make_equal_files():
    assert object_to_bytes(OBJECT) == object_to_bytes(object_from_bytes(object_to_bytes(OBJECT)))


GOOD = object_to_bytes(OBJECT)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(GOOD) - 1), st.integers(1, 255))
def test_a_changed_byte_is_damage(place, change):
    damaged = bytearray(GOOD)
    damaged[place] ^= change
    with pytest.raises(UserError) as caught:
        object_from_bytes(bytes(damaged), "a.obj")
    assert caught.value.place.file == "a.obj"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(GOOD) - 1) | st.just(0))
def test_a_cut_file_is_damage(length):
    with pytest.raises(UserError):
        object_from_bytes(GOOD[:length], "a.obj")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no object file"),
        (b"\x7fELF\n", "no object file"),
        (b"x" * 1000 + b"\n", "no object file"),
        (GOOD.replace(b"object 1 ", b"object 2 ", 1), "version 2; this carbide reads version 1"),
        (GOOD + b" ", "bytes after its header"),
        (GOOD.replace(b"a b.w", b"a c.w"), "checksum differs"),
    ],
)
def test_damage_is_named(data, reason):
    with pytest.raises(UserError, match=reason):
        object_from_bytes(data)


def without(key):
    form = object_to_dict(OBJECT)
    del form[key]
    return form


@pytest.mark.parametrize("key", object_to_dict(OBJECT))
def test_every_part_is_needed(key):
    with pytest.raises(ObjectError, match=f"the object has no '{key}'"):
        object_from_dict(without(key))


@pytest.mark.parametrize("key", object_to_dict(OBJECT))
@pytest.mark.parametrize("value", [None, 5, 2.5, "x", [None], {"a": 1}, [[1]], True])
def test_parts_of_the_wrong_kind_are_named(key, value):
    form = object_to_dict(OBJECT) | {key: value}
    try:
        object_from_dict(form)
    except ObjectError as error:
        assert key in str(error)
    else:
        assert type(value) is type(object_to_dict(OBJECT)[key])


def test_words_must_be_words():
    for words in ("12", "123", "zzzz", "12345"):
        with pytest.raises(ObjectError, match="words of four digits"):
            object_from_dict(object_to_dict(OBJECT) | {"code": {"address": 0, "words": words}})
    for address in (-1, 0xFFFF):
        code = {"address": address, "words": "12345678"}
        with pytest.raises(ObjectError, match="address space"):
            object_from_dict(object_to_dict(OBJECT) | {"code": code})
