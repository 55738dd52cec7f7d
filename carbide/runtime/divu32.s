; Unsigned 32-bit division: a in R0:R1, b in R2:R3; quotient in R0:R1, remainder in R2:R3.
; By zero: quotient 0xffffffff, remainder a.
; A binary32 reciprocal, made too small by 2^-21 so that no estimate is too large, gives 20 bits of
; the quotient; the same on the remainder gives the rest but for 1. The estimates are rounded down
; here, because the FP control register says how conversion rounds.
divu32:
        or16 R4, R2, R3
        jz16 R4, divu32.zero
        u32tos R10, R2
        sub32 R12, 0x7ef311c7, R10      ; 1/b to 12 %
        fmss R14, R12, R10, 1.0
        fmacs R16, R14, R14, R14
        fmacs R12, R12, R16, R12        ; to the third power of that
        fmss R14, R12, R10, 1.0
        fmacs R12, R12, R14, R12        ; to the sixth
        fmss R14, R12, R10, 1.0
        fmacs R12, R12, R14, R12        ; to the last bit
        fmuls R12, R12, 0x3f7ffff8      ; 1 - 2^-21
        u32tos R8, R0
        fmuls R8, R8, R12
        stou32 R4, R8
        u32tos R10, R4
        lts R16, R8, R10                ; 1 when it was rounded up
        zxt32 R8, R16
        sub32 R4, R4, R8
        mul32 R6, R4, R2
        sub32 R6, R0, R6                ; what is left of a
        u32tos R8, R6
        fmuls R8, R8, R12
        stou32 R14, R8
        u32tos R10, R14
        lts R16, R8, R10
        zxt32 R8, R16
        sub32 R14, R14, R8
        add32 R4, R4, R14
        mul32 R14, R14, R2
        sub32 R6, R6, R14
        leu32 R16, R2, R6               ; 1 when one too few
        zxt32 R8, R16
        add32 R0, R4, R8
        mul32 R8, R8, R2
        sub32 R2, R6, R8
        ret R20
divu32.zero:
        mov32 R2, R0
        mov32 R0, 0xffffffff
        ret R20
