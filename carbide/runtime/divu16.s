; Unsigned 16-bit division: a in R0, b in R2; quotient in R0, remainder in R2.
; By zero: quotient 0xffff, remainder a.
; The quotient is a times a binary32 reciprocal good to 2^-18, which is within 1 however the FP
; control register rounds; the remainder puts it right.
divu16:
        jz16 R2, divu16.zero
        zxt32 R4, R0
        zxt32 R6, R2
        u16tos R8, R0
        u16tos R10, R2
        sub32 R12, 0x7ef311c7, R10      ; 1/b to 12 %
        fmss R14, R12, R10, 1.0
        fmacs R16, R14, R14, R14
        fmacs R12, R12, R16, R12        ; to the third power of that
        fmss R14, R12, R10, 1.0
        fmacs R12, R12, R14, R12        ; to the sixth
        fmuls R14, R8, R12
        stou32 R14, R14
        mul32 R16, R14, R6
        sub32 R16, R4, R16
        shr32 R8, R16, 31               ; 1 when one too many
        sub32 R14, R14, R8
        mac32 R16, R8, R6, R16
        le32 R18, R6, R16               ; 1 when one too few
        zxt32 R8, R18
        add32 R14, R14, R8
        mul32 R8, R8, R6
        sub32 R16, R16, R8
        low16 R0, R14
        low16 R2, R16
        ret R20
divu16.zero:
        mov16 R2, R0
        mov16 R0, 0xffff
        ret R20
