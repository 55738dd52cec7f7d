"""`bench-listing.json`: the instructions of each program with their source lines (tungsten page 9).

    {"version": 1, "programs": [
     {"program": "stage", "source": "stage.w", "arch": "sdr", "parameters": {"N": "4"},
      "instructions": [
       {"address": 0, "encoding": ["5300", "4041"], "mnemonic": "fmacs", "flags": ["u3", "t"],
        "operands": ["[DS0]", "[DS1]"], "file": "stage.w", "line": 3, "column": 5}]}]}

One instruction stands on one line, so that the file can be searched line by line. Words in the
code that are no instruction have the mnemonic `.word`; `file`, `line` and `column` are null where
no source stands behind an instruction.
"""

import json
from collections.abc import Iterable
from typing import Any

from carbide.isa.disassembler import disassemble, mnemonic_text, operand_text
from carbide.isa.encode import encode
from carbide.isa.operands import Operation
from carbide.object import Object, SourcePlace

VERSION = 1


def instructions(object_: Object) -> list[dict[str, Any]]:
    """One dictionary an instruction, in address order."""
    places = list(object_.places)
    here: SourcePlace | None = None
    rows: list[dict[str, Any]] = []
    for address, item in disassemble(object_.code.words, object_.code.address):
        while places and places[0].address <= address:
            here = places.pop(0)
        if isinstance(item, Operation):
            mnemonic, *flags = mnemonic_text(item).split(".")
            words = encode(item)
            operands = [operand_text(item, place) for place in range(len(item.operands))]
        else:
            mnemonic, flags = ".word", []
            words = [object_.code.words[address - object_.code.address]]
            operands = [f"0x{words[0]:04x}"]
        rows.append(
            {
                "address": address,
                "encoding": [f"{word:04x}" for word in words],
                "mnemonic": mnemonic,
                "flags": flags,
                "operands": operands,
                "file": here.file if here else None,
                "line": here.line if here else None,
                "column": here.column if here else None,
            }
        )
    return rows


def listing_text(objects: Iterable[Object]) -> str:
    """The listing of all programs of a layout, or of the one that was compiled."""
    programs = []
    for object_ in objects:
        head = json.dumps(
            {
                "program": object_.program,
                "source": object_.source,
                "arch": object_.arch,
                "parameters": dict(object_.parameters),
            },
            ensure_ascii=False,
        )
        lines = ",\n   ".join(json.dumps(row, ensure_ascii=False) for row in instructions(object_))
        programs.append(f'{head[:-1]}, "instructions": [\n   {lines}]}}')
    body = ",\n ".join(programs)
    return f'{{"version": {VERSION}, "programs": [\n {body}]}}\n'
