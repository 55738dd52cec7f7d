; Binary32 reciprocal by Newton-Raphson: b in R0:R1; 1/b in R0:R1.
; The significand's reciprocal is correctly rounded (but all ones give 1/2, 0.5000001 ulp off), then
; scaled; a denormal result rounds again. So the error stays below 1 ulp. 0 gives infinity and infinity 0, with the sign; NaN gives NaN.
recips:
        and16 R2, R1, 0x8000            ; sign
        and16 R1, R1, 0x7fff
        shr16 R3, R1, 7                 ; exponent
        mov32 R18, 0x3f800000           ; what to scale by besides
        sub16 R4, R3, 1
        ltu16 R4, R4, 254
        jnz16 R4, recips.normal
        jnz16 R3, recips.special
        or16 R4, R0, R1
        jz16 R4, recips.zero
        fmuls R0, R0, 0x4b800000        ; a denormal by 2^24; its result by 2^24 in the end
        mov32 R18, 0x4b800000
        shr16 R3, R1, 7
recips.normal:
        and16 R1, R1, 0x7f
        or16 R1, R1, 0x3f80             ; the significand, 1 to 2
        sub32 R4, 0x7ef311c7, R0        ; its reciprocal to 12 %
        fmss R6, R4, R0, 1.0
        fmacs R8, R6, R6, R6
        fmacs R4, R4, R8, R4            ; to the third power of that
        fmss R6, R4, R0, 1.0
        fmacs R4, R4, R6, R4            ; to the sixth
        fmss R6, R4, R0, 1.0
        fmacs R4, R4, R6, R4            ; within 1 ulp
        fmss R6, R4, R0, 1.0
        fmacs R4, R4, R6, R4            ; correctly rounded
        sub16 R3, 254, R3               ; exponent of the power of two to scale by, 0 to 253
        eq16 R6, R3, 0                  ; 2^-127 is denormal
        shl16 R7, R6, 6
        shl16 R3, R3, 7
        or16 R3, R3, R7
        mov16 R8, 0
        mov16 R9, R3
        fmuls R4, R4, R8
        fmuls R4, R4, R18
        mov16 R0, R4
        or16 R1, R5, R2
        ret R20
recips.zero:
        or16 R1, R2, 0x7f80
        ret R20
recips.special:
        and16 R4, R1, 0x7f
        or16 R4, R4, R0
        mov16 R0, 0
        mov16 R1, R2
        jnz16 R4, recips.nan
        ret R20
recips.nan:
        mov16 R1, 0x7fc0
        ret R20
