; Signed 32-bit division, truncating: a in R0:R1, b in R2:R3; quotient in R0:R1, remainder in R2:R3.
; By zero: quotient -1, remainder a. -2^31 by -1: quotient -2^31, remainder 0.
; Magnitudes are divided as in divu32; the remainder has the sign of a.
divs32:
        or16 R4, R2, R3
        jz16 R4, divs32.zero
        sar16 R18, R1, 15               ; the sign of a as a mask, and that of the quotient
        xor16 R19, R1, R3
        abs32 R0, R0
        abs32 R2, R2
        u32tos R10, R2
        sub32 R12, 0x7ef311c7, R10
        fmss R14, R12, R10, 1.0
        fmacs R16, R14, R14, R14
        fmacs R12, R12, R16, R12
        fmss R14, R12, R10, 1.0
        fmacs R12, R12, R14, R12
        fmss R14, R12, R10, 1.0
        fmacs R12, R12, R14, R12
        fmuls R12, R12, 0x3f7ffff8
        u32tos R8, R0
        fmuls R8, R8, R12
        stou32 R4, R8
        u32tos R10, R4
        lts R16, R8, R10
        zxt32 R8, R16
        sub32 R4, R4, R8
        mul32 R6, R4, R2
        sub32 R6, R0, R6
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
        leu32 R16, R2, R6
        zxt32 R8, R16
        add32 R0, R4, R8
        mul32 R8, R8, R2
        sub32 R2, R6, R8
        sxt32 R4, R18
        xor32 R2, R2, R4
        sub32 R2, R2, R4
        sar16 R18, R19, 15
        sxt32 R4, R18
        xor32 R0, R0, R4
        sub32 R0, R0, R4
        ret R20
divs32.zero:
        mov32 R2, R0
        mov32 R0, -1
        ret R20
