"""Programs as the compute engine reads them: `Op` records, decoded once for each program."""

from collections.abc import Sequence
from typing import Any

from carbide.isa import decode, table
from mitools.arch.model import Arch
from simfabric.mesh import layout

_KINDS = {
    decode.KIND_NONE: layout.ON_NOTHING,
    decode.KIND_REGISTER: layout.ON_REGISTER,
    decode.KIND_DESCRIPTOR: layout.ON_DESCRIPTOR,
    decode.KIND_INPUT_QUEUE: layout.ON_INPUT,
    decode.KIND_OUTPUT_QUEUE: layout.ON_OUTPUT,
    decode.KIND_IMMEDIATE: layout.ON_VALUE,
    decode.KIND_MEMORY: layout.ON_ADDRESS,
    decode.KIND_INDIRECT: layout.ON_INDIRECT,
    decode.KIND_INDEXED: layout.ON_INDEXED,
}
_IN_MEMORY = (layout.ON_ADDRESS, layout.ON_INDIRECT, layout.ON_INDEXED)
_MOVES = ("mov16", "mov32", "umov16", "umov32")


class Code:
    """The decoded instructions of one program.

    `rows` are values of `Op` fields by name; `at` maps word addresses to row numbers; `sites` is
    the address of each sending instruction by its number in wavelets.
    """

    def __init__(self, words: Sequence[int], base: int, arch: Arch) -> None:
        self.words, self.base, self.arch = words, base, arch
        self.rows: list[dict[str, Any]] = []
        self.at: dict[int, int] = {}
        self.sites: list[int] = []
        for address, record in decode.decode_program(words, base).items():
            if isinstance(record, decode.Record):
                self._add(address, record)
        self.link(0)

    def decode_at(self, address: int) -> int:
        """The row of the instruction at an address, decoded now if that was not done before.

        What is no instruction becomes a row that raises the error when it is executed.
        """
        if address in self.at:
            return self.at[address]
        start = len(self.rows)
        place = address - self.base
        inside = 0 <= place < len(self.words)
        try:
            if not inside:
                raise decode.DecodeError(address, "outside of the code")
            self._add(address, decode.decode_record(self.words, place, self.base))
        except decode.DecodeError:
            word = int(self.words[place]) if inside else 0
            row = _row(layout.FORM_UNDEFINED, address)
            row["values"] = [word, 0, 0, 0]
            self.at[address] = len(self.rows)
            self.rows.append(row)
        self.link(start)
        return self.at[address]

    def link(self, start: int) -> None:
        """Fill `follow` and `target` of rows from `start` on, decoding what they lead to."""
        place = start
        while place < len(self.rows):
            row = self.rows[place]
            place += 1
            if row["form"] == layout.FORM_UNDEFINED:
                continue
            row["follow"] = self._reach(row["next_address"])
            if row["form"] == layout.FORM_BRANCH and row["opcode"] != layout.OP_RET:
                row["target"] = self._reach(row["values"][row["count"] - 1])

    def _reach(self, address: int) -> int:
        """The row at an address, -1 when no instruction is there to be decoded ahead of time."""
        if address not in self.at:
            try:
                record = decode.decode_record(self.words, address - self.base, self.base)
            except (decode.DecodeError, IndexError):
                return -1
            if address < self.base:
                return -1
            self._add(address, record)
        return self.at[address]

    def _add(self, address: int, record: decode.Record) -> None:
        instruction = table.BY_OPCODE[record.opcode]
        roles = instruction.roles
        row = _row(self._form(record, instruction), address)
        row |= {
            "next_address": record.next & 0xFFFF,
            "opcode": record.opcode,
            "slot": record.slot,
            "ends_task": record.terminate,
            "flip": record.flip,
            "keep": record.keep,
            "no_load": record.no_load,
            "copies": instruction.mnemonic in _MOVES,
            "count": len(roles),
            "first_source": int(bool(roles) and roles[0] in (table.DH, table.DW, table.DS)),
            "kinds": [_KINDS[place.kind] for place in record.operands],
            "numbers": [place.number for place in record.operands],
            "values": [place.value for place in record.operands],
            "wide": [int(r in (table.W, table.DW)) for r in roles] + [0] * (4 - len(roles)),
        }
        timing = self.arch.timing
        rate = getattr(timing, instruction.rate) if instruction.rate else (1, 1)
        if self._reduces(record, row):
            rate = max(rate, timing.reduce, key=lambda r: r[1] / r[0])
        row["elements"], row["cycles"] = rate
        is_float = instruction.rate.startswith("float_")
        row["result"] = timing.scalar_float_result if is_float else timing.scalar
        if row["form"] == layout.FORM_TRANSFER and record.slot:
            row["brings"] = sum(k in (layout.ON_INPUT, layout.ON_OUTPUT) for k in row["kinds"])
        if row["form"] == layout.FORM_TRANSFER and row["first_source"]:
            if row["kinds"][0] in (layout.ON_DESCRIPTOR, layout.ON_OUTPUT):
                row["site"] = min(len(self.sites), layout.NO_SITE)
                self.sites.append(address)
        self.at[address] = len(self.rows)
        self.rows.append(row)

    @staticmethod
    def _form(record: decode.Record, instruction: table.Instruction) -> int:
        if instruction.kind == "branch":
            return layout.FORM_BRANCH
        if instruction.kind == "task":
            return layout.FORM_TASK
        if instruction.kind == "descriptor":
            return layout.FORM_DESCRIPTOR
        if record.transfer or instruction.kind == "accumulate":
            return layout.FORM_TRANSFER
        if _KINDS[record.operands[0].kind] in _IN_MEMORY:
            return layout.FORM_STORE
        if _KINDS[record.operands[1].kind] in _IN_MEMORY:
            return layout.FORM_LOAD
        return layout.FORM_SCALAR

    @staticmethod
    def _reduces(record: decode.Record, row: dict[str, Any]) -> bool:
        """Whether each element's result is a source of the next."""
        kinds = row["kinds"]
        if row["form"] != layout.FORM_TRANSFER or not row["first_source"]:
            return False
        if kinds[0] != layout.ON_REGISTER and kinds[0] not in _IN_MEMORY:
            return False
        return record.operands[0] in record.operands[1:]


def _row(form: int, address: int) -> dict[str, Any]:
    zeros: dict[str, Any] = {
        name: [0] * count[0] if count else 0 for name, _, *count in layout.RECORDS["Op"]
    }
    return zeros | {"form": form, "address": address, "follow": -1, "target": -1, "site": 0}


def table_of(code: Code, places: Sequence[int], start: int = 0) -> Any:
    """Rows from `start` on as `Op` records; `places[r]` is the machine's number of row r."""
    import numpy as np

    rows = code.rows[start:]
    array = np.zeros(len(rows), layout.dtype("Op"))
    for name, *_ in layout.RECORDS["Op"]:
        values = [row[name] for row in rows]
        if name in ("follow", "target"):
            values = [places[v] if v >= 0 else -1 for v in values]
        if rows:
            array[name] = values
    return array
