; Signed 16-bit division, truncating: a in R0, b in R2; quotient in R0, remainder in R2.
; By zero: quotient -1, remainder a. -32768 by -1: quotient -32768, remainder 0.
; Magnitudes are divided as in divu16; the remainder has the sign of a.
divs16:
        jz16 R2, divs16.zero
        xor16 R18, R0, R2
        sxt32 R4, R0
        sxt32 R6, R2
        abs32 R4, R4
        abs32 R6, R6
        u32tos R8, R4
        u32tos R10, R6
        sub32 R12, 0x7ef311c7, R10
        fmss R14, R12, R10, 1.0
        fmacs R16, R14, R14, R14
        fmacs R12, R12, R16, R12
        fmss R14, R12, R10, 1.0
        fmacs R12, R12, R14, R12
        fmuls R14, R8, R12
        stou32 R14, R14
        mul32 R16, R14, R6
        sub32 R16, R4, R16
        shr32 R8, R16, 31               ; 1 when one too many
        sub32 R14, R14, R8
        mac32 R16, R8, R6, R16
        le32 R19, R6, R16               ; 1 when one too few
        zxt32 R8, R19
        add32 R14, R14, R8
        mul32 R8, R8, R6
        sub32 R16, R16, R8
        sar16 R3, R0, 15
        xor16 R2, R16, R3
        sub16 R2, R2, R3
        sar16 R3, R18, 15
        xor16 R0, R14, R3
        sub16 R0, R0, R3
        ret R20
divs16.zero:
        mov16 R2, R0
        mov16 R0, -1
        ret R20
