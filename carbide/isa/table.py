"""The CE instruction set as one table; `docs/isa.md` explains it.

An instruction is two or more 16-bit words: word 0 holds the opcode (high byte) and the flags,
word 1 the destination and source 0 specifiers, word 2 sources 1 and 2 where the instruction has
them, then the immediate words that the specifiers ask for, in operand order.
"""

from attrs import frozen

# Operand roles. A role fixes the width of a value and what may stand there.
H = "h"  # 16-bit value: register, descriptor, queue, memory word, immediate
W = "w"  # 32-bit value: even register pair, descriptor, queue, memory, immediate
DH = "dh"  # 16-bit destination
DW = "dw"  # 32-bit destination
DS = "ds"  # descriptor register
N = "n"  # small number or address, as an immediate
R = "r"  # 16-bit register or immediate, never a vector

# Specifiers, one byte each.
REGISTER = 0x00  # 0x00-0x3F: R0-R63; a 32-bit value names the even register of its pair
DESCRIPTOR = 0x40  # 0x40-0x5F: DS0-DS31
INPUT_QUEUE = 0x60  # 0x60-0x67: one element from input queue q
OUTPUT_QUEUE = 0x68  # 0x68-0x6F: one element to output queue q
IMMEDIATE16 = 0x70  # one word follows
IMMEDIATE32 = 0x71  # two words follow, low first
MEMORY = 0x72  # [address]; the address word follows
NONE = 0x73  # no operand; as a destination: discard
INDIRECT = 0x80  # 0x80-0xBF: [Rn]
INDEXED = 0xC0  # 0xC0-0xFF: [Rn + displacement]; the displacement word follows

# Flags, low byte of word 0.
SLOT_MASK = 0x0F  # 0 main thread, 1-8 microthreads 0-7, 9-12 umov microthreads 8-11
TERMINATE = 0x10  # the task ends with this instruction
FLIP = 0x20  # the last element sent advances this router's own input switch
KEEP = 0x40  # accumulator: go on from what it holds
NO_LOAD = 0x80  # accumulator: leave the sum there


@frozen
class Instruction:
    """`roles`: destination first where there is one. `rate` names a field of `Timing`."""

    mnemonic: str
    opcode: int
    roles: tuple[str, ...]
    kind: str  # move, alu, send, branch, task, descriptor, accumulate
    rate: str
    meaning: str


def _build() -> tuple[Instruction, ...]:
    rows: list[Instruction] = []

    def add(opcode: int, kind: str, rate: str, text: str) -> None:
        mnemonic, roles, meaning = (part.strip() for part in text.split("|", 2))
        rows.append(Instruction(mnemonic, opcode, tuple(roles.split()), kind, rate, meaning))

    def family(start: int, kind: str, rows_: list[tuple[str, str]]) -> None:
        for place, (rate, text) in enumerate(rows_):
            add(start + place, kind, rate, text)

    family(0x01, "move", [
        ("copy16", "mov16 | dh h | d = a"),
        ("copy32", "mov32 | dw w | d = a"),
        ("copy16", "umov16 | dh h | d = a, the only kind that slots 9-12 run"),
        ("copy32", "umov32 | dw w | d = a, the only kind that slots 9-12 run"),
        ("copy32", "pack32 | dw h h | d = b << 16 | a"),
        ("copy16", "select16 | dh h h h | d = a != 0 ? b : c"),
        ("copy32", "select32 | dw h w w | d = a != 0 ? b : c"),
    ])
    family(0x08, "send", [
        ("copy32", "movc | dw w | send a as control wavelets; d names an output"),
    ])
    family(0x10, "alu", [
        ("integer16", "add16 | dh h h | d = a + b"),
        ("integer16", "sub16 | dh h h | d = a - b"),
        ("integer16", "mul16 | dh h h | d = a * b"),
        ("integer16", "mac16 | dh h h h | d = a * b + c"),
        ("integer16", "and16 | dh h h | d = a & b"),
        ("integer16", "or16 | dh h h | d = a or b, bitwise"),
        ("integer16", "xor16 | dh h h | d = a ^ b"),
        ("integer16", "shl16 | dh h h | d = a << b; 0 for b > 15, b unsigned"),
        ("integer16", "shr16 | dh h h | logical shift right; 0 for b > 15"),
        ("integer16", "sar16 | dh h h | arithmetic shift right; the sign for b > 15"),
        ("integer16", "min16 | dh h h | signed minimum"),
        ("integer16", "max16 | dh h h | signed maximum"),
        ("integer16", "minu16 | dh h h | unsigned minimum"),
        ("integer16", "maxu16 | dh h h | unsigned maximum"),
        ("integer16", "abs16 | dh h | absolute value; -32768 stays"),
        ("integer16", "lt16 | dh h h | d = a < b, signed, 0 or 1"),
        ("integer16", "le16 | dh h h | d = a <= b, signed"),
        ("integer16", "ltu16 | dh h h | d = a < b, unsigned"),
        ("integer16", "leu16 | dh h h | d = a <= b, unsigned"),
        ("integer16", "eq16 | dh h h | d = a == b"),
        ("integer16", "ne16 | dh h h | d = a != b"),
    ])
    family(0x30, "alu", [
        ("integer32", "add32 | dw w w | d = a + b"),
        ("integer32", "sub32 | dw w w | d = a - b"),
        ("integer32", "mul32 | dw w w | d = a * b"),
        ("integer32", "mac32 | dw w w w | d = a * b + c"),
        ("integer32", "and32 | dw w w | d = a & b"),
        ("integer32", "or32 | dw w w | d = a or b, bitwise"),
        ("integer32", "xor32 | dw w w | d = a ^ b"),
        ("integer32", "shl32 | dw w h | d = a << b; 0 for b > 31, b unsigned"),
        ("integer32", "shr32 | dw w h | logical shift right; 0 for b > 31"),
        ("integer32", "sar32 | dw w h | arithmetic shift right; the sign for b > 31"),
        ("integer32", "min32 | dw w w | signed minimum"),
        ("integer32", "max32 | dw w w | signed maximum"),
        ("integer32", "minu32 | dw w w | unsigned minimum"),
        ("integer32", "maxu32 | dw w w | unsigned maximum"),
        ("integer32", "abs32 | dw w | absolute value; -2**31 stays"),
        ("integer32", "lt32 | dh w w | d = a < b, signed, 0 or 1"),
        ("integer32", "le32 | dh w w | d = a <= b, signed"),
        ("integer32", "ltu32 | dh w w | d = a < b, unsigned"),
        ("integer32", "leu32 | dh w w | d = a <= b, unsigned"),
        ("integer32", "eq32 | dh w w | d = a == b"),
        ("integer32", "ne32 | dh w w | d = a != b"),
    ])
    family(0x50, "alu", [
        ("float_add", "fadds | dw w w | d = a + b, binary32"),
        ("float_add", "fsubs | dw w w | d = a - b"),
        ("float_multiply", "fmuls | dw w w | d = a * b"),
        ("float_multiply_add", "fmacs | dw w w w | d = a * b + c, one rounding"),
        ("float_multiply_add", "fmss | dw w w w | d = c - a * b, one rounding"),
        ("float_add", "fmins | dw w w | IEEE minNum; -0.0 below +0.0"),
        ("float_add", "fmaxs | dw w w | IEEE maxNum"),
        ("copy32", "fabss | dw w | clears the sign bit"),
        ("copy32", "fnegs | dw w | flips the sign bit"),
        ("float_add", "lts | dh w w | d = a < b; false with NaN"),
        ("float_add", "les | dh w w | d = a <= b"),
        ("float_add", "eqs | dh w w | d = a == b"),
        ("float_add", "nes | dh w w | d = a != b; true with NaN"),
    ])
    family(0x60, "alu", [
        ("float_add", "faddh | dh h h | d = a + b, binary16"),
        ("float_add", "fsubh | dh h h | d = a - b"),
        ("float_multiply", "fmulh | dh h h | d = a * b"),
        ("float_multiply_add", "fmach | dh h h h | d = a * b + c, one rounding"),
        ("float_multiply_add", "fmsh | dh h h h | d = c - a * b, one rounding"),
        ("float_add", "fminh | dh h h | IEEE minNum"),
        ("float_add", "fmaxh | dh h h | IEEE maxNum"),
        ("copy16", "fabsh | dh h | clears the sign bit"),
        ("copy16", "fnegh | dh h | flips the sign bit"),
        ("float_add", "lth | dh h h | d = a < b; false with NaN"),
        ("float_add", "leh | dh h h | d = a <= b"),
        ("float_add", "eqh | dh h h | d = a == b"),
        ("float_add", "neh | dh h h | d = a != b; true with NaN"),
    ])
    family(0x70, "alu", [
        ("copy32", "sxt32 | dw h | sign-extend 16 to 32 bits"),
        ("copy32", "zxt32 | dw h | zero-extend 16 to 32 bits"),
        ("copy16", "low16 | dh w | low half"),
        ("float_add", "i16tos | dw h | signed 16-bit integer to binary32"),
        ("float_add", "u16tos | dw h | unsigned 16-bit integer to binary32"),
        ("float_add", "i32tos | dw w | signed 32-bit integer to binary32"),
        ("float_add", "u32tos | dw w | unsigned 32-bit integer to binary32"),
        ("float_add", "stoi16 | dh w | binary32 to signed 16-bit; FP control rounds; NaN to 0"),
        ("float_add", "stou16 | dh w | binary32 to unsigned 16-bit"),
        ("float_add", "stoi32 | dw w | binary32 to signed 32-bit"),
        ("float_add", "stou32 | dw w | binary32 to unsigned 32-bit"),
        ("float_add", "htos | dw h | binary16 to binary32"),
        ("float_add", "stoh | dh w | binary32 to binary16"),
        ("float_add", "i16toh | dh h | signed 16-bit integer to binary16"),
        ("float_add", "u16toh | dh h | unsigned 16-bit integer to binary16"),
        ("float_add", "i32toh | dh w | signed 32-bit integer to binary16"),
        ("float_add", "u32toh | dh w | unsigned 32-bit integer to binary16"),
        ("float_add", "htoi16 | dh h | binary16 to signed 16-bit; as stoi16"),
        ("float_add", "htou16 | dh h | binary16 to unsigned 16-bit"),
        ("float_add", "htoi32 | dw h | binary16 to signed 32-bit"),
        ("float_add", "htou32 | dw h | binary16 to unsigned 32-bit"),
    ])
    family(0x90, "accumulate", [
        ("accumulate", "dots | dw w w | acc += a * b fused, binary32; then d = acc"),
        ("accumulate", "sums | dw w | acc += a, binary32; then d = acc"),
        ("accumulate", "doth | dh h h | acc += a * b fused, binary16; then d = acc"),
        ("accumulate", "sumh | dh h | acc += a, binary16; then d = acc"),
    ])
    family(0xA0, "branch", [
        ("", "jmp | n | go to the address"),
        ("", "jz16 | h n | branch if a == 0"),
        ("", "jnz16 | h n | branch if a != 0"),
        ("", "jeq16 | h h n | branch if a == b"),
        ("", "jne16 | h h n | branch if a != b"),
        ("", "jlt16 | h h n | branch if a < b, signed"),
        ("", "jge16 | h h n | branch if a >= b, signed"),
        ("", "jltu16 | h h n | branch if a < b, unsigned"),
        ("", "jgeu16 | h h n | branch if a >= b, unsigned"),
        ("", "call | dh n | d = address of the next instruction; go to the address"),
        ("", "ret | r | go to the address in a register"),
    ])
    family(0xB0, "task", [
        ("", "nop | | nothing, one cycle"),
        ("", "term | | the task ends"),
        ("", "act | n | activate a software task"),
        ("", "block | n | block a task"),
        ("", "unblock | n | unblock a task"),
        ("", "entry | n n | task, address: where the task starts"),
        ("", "susp | n n | task, mask: this task ends; the named task resumes at the next"
         " instruction when the microthreads of the mask are idle"),
        ("", "join | n n | task, mask: the task is activated when the microthreads are idle"),
        ("", "dtask | n n n | queue, address, keep: set the data task's entry and unblock it;"
         " keep=1 leaves the wavelet that starts it in the queue"),
        ("", "wait | n | main thread waits until the microthreads of the mask are idle; no new"
         " task starts"),
    ])
    family(0xC0, "descriptor", [
        ("", "ldds | ds r | load a descriptor from the four words at an address"),
        ("", "stds | ds r | store a descriptor to the four words at an address"),
        ("", "dsbase | ds r | set the base (word 1)"),
        ("", "dslen | ds r | set the length (word 2)"),
        ("", "dsstep | ds r | set the stride (word 3)"),
    ])
    return tuple(rows)


INSTRUCTIONS = _build()
BY_MNEMONIC = {row.mnemonic: row for row in INSTRUCTIONS}
BY_OPCODE = {row.opcode: row for row in INSTRUCTIONS}

# Descriptors: four words. Word 0 is the kind, word 2 the length in elements.
DSD_MEMORY = 0  # word 1 base address, word 3 stride in words (signed)
DSD_WALK = 1  # word 1 address of the walk record
DSD_FABRIC_IN = 2  # word 1 input queue
DSD_FABRIC_OUT = 3  # word 1 output queue
DSD_FIFO = 4  # word 1 address of the FIFO record
UNBOUNDED = 0xFFFF
"""Length of a descriptor that ends only with another operand's."""

# Walk record: ndims, base, current address, then count, stride, position for each dimension,
# outermost first. A count of UNBOUNDED never ends.
WALK_DIMENSIONS, WALK_BASE, WALK_CURRENT, WALK_FIRST = 0, 1, 2, 3
WALK_COUNT, WALK_STRIDE, WALK_POSITION, WALK_STEP = 0, 1, 2, 3

# FIFO record: buffer address, capacity in elements, words per element, read place, fill.
FIFO_BASE, FIFO_CAPACITY, FIFO_WORDS, FIFO_READ, FIFO_FILL, FIFO_RECORD = 0, 1, 2, 3, 4, 5


def markdown() -> str:
    """The table of docs/isa.md, section "All instructions"."""
    lines = ["| opcode | mnemonic | roles | rate | meaning |", "|---|---|---|---|---|"]
    for row in sorted(INSTRUCTIONS, key=lambda row: row.opcode):
        roles, meaning = " ".join(row.roles), row.meaning.replace("|", "or")
        lines.append(
            f"| 0x{row.opcode:02X} | `{row.mnemonic}` | {roles} | {row.rate} | {meaning} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(markdown(), end="")
