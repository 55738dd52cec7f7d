from simfabric.mesh.layout cimport *

cdef extern from *:
    """
    #include <string.h>
    static inline float wf_float_of(unsigned int bits) {
        float value; memcpy(&value, &bits, 4); return value;
    }
    static inline unsigned int wf_bits_of(float value) {
        unsigned int bits; memcpy(&bits, &value, 4); return bits;
    }
    static inline double wf_double_of(unsigned long long bits) {
        double value; memcpy(&value, &bits, 8); return value;
    }
    static inline unsigned long long wf_double_bits(double value) {
        unsigned long long bits; memcpy(&bits, &value, 8); return bits;
    }
    """
    float float_of "wf_float_of" (unsigned int bits) noexcept nogil
    unsigned int bits_of "wf_bits_of" (float value) noexcept nogil
    double double_of "wf_double_of" (unsigned long long bits) noexcept nogil
    unsigned long long double_bits "wf_double_bits" (double value) noexcept nogil

cdef unsigned int evaluate(int opcode, unsigned int a, unsigned int b, unsigned int c, int rounding) noexcept nogil
cdef unsigned int accumulate(int opcode, unsigned int total, unsigned int a, unsigned int b) noexcept nogil
cdef int takes(int opcode, unsigned int a, unsigned int b) noexcept nogil

cdef int _signed16(unsigned int value) noexcept nogil
cdef long long _signed32(unsigned int value) noexcept nogil
cdef unsigned int _single(double value) noexcept nogil
cdef double _fused(double a, double b, double c) noexcept nogil
cdef double _half_value(unsigned int bits) noexcept nogil
cdef unsigned int _half(double value) noexcept nogil
cdef double _least(double a, double b) noexcept nogil
cdef double _most(double a, double b) noexcept nogil
cdef unsigned int _integer(double value, int rounding, long long low, long long high) noexcept nogil
cdef unsigned int _integers16(int opcode, unsigned int a, unsigned int b, unsigned int c) noexcept nogil
cdef unsigned int _integers32(int opcode, unsigned int a, unsigned int b, unsigned int c) noexcept nogil
cdef unsigned int _singles(int opcode, unsigned int a, unsigned int b, unsigned int c) noexcept nogil
cdef unsigned int _halves(int opcode, unsigned int a, unsigned int b, unsigned int c) noexcept nogil
cdef unsigned int _conversions(int opcode, unsigned int a, int rounding) noexcept nogil
