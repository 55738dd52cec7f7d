; Binary16 division: a in R0, b in R2; a/b in R0, correctly rounded, as IEEE.
; The quotient is made correctly rounded in binary32 first; with 24 bits, rounding it again to 11
; changes nothing.
divh:
        xor16 R18, R0, R2
        and16 R18, R18, 0x8000          ; sign
        and16 R0, R0, 0x7fff
        and16 R2, R2, 0x7fff
        leu16 R4, 0x7c00, R0            ; infinity or NaN
        leu16 R5, 0x7c00, R2
        eq16 R6, R2, 0
        or16 R4, R4, R5
        or16 R4, R4, R6
        jnz16 R4, divh.special
        htos R8, R0
        htos R10, R2
        sub32 R12, 0x7ef311c7, R10      ; 1/b to 12 %
        fmss R14, R12, R10, 1.0
        fmacs R16, R14, R14, R14
        fmacs R12, R12, R16, R12        ; to the third power of that
        fmss R14, R12, R10, 1.0
        fmacs R12, R12, R14, R12        ; to the sixth
        fmss R14, R12, R10, 1.0
        fmacs R12, R12, R14, R12        ; within 1 ulp
        fmuls R16, R8, R12
        fmss R14, R16, R10, R8          ; what is left of a
        fmacs R16, R14, R12, R16
        stoh R0, R16
        or16 R0, R0, R18
        ret R20
divh.special:
        ltu16 R4, 0x7c00, R0
        ltu16 R5, 0x7c00, R2
        or16 R4, R4, R5
        jnz16 R4, divh.nan
        jeq16 R0, R2, divh.nan          ; 0/0, infinity/infinity
        jeq16 R0, 0x7c00, divh.infinity
        jz16 R2, divh.infinity
        mov16 R0, R18                   ; by infinity
        ret R20
divh.infinity:
        or16 R0, R18, 0x7c00
        ret R20
divh.nan:
        mov16 R0, 0x7e00
        ret R20
