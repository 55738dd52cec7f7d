# What a processor does in one instruction; `intrinsics.py` says it in Python.
cdef extern from *:
    """
    #if defined(__GNUC__)
    static inline int wf_lowest(unsigned int mask) { return __builtin_ctz(mask); }
    #define wf_fetch(place) __builtin_prefetch(place)
    #else
    static inline int wf_lowest(unsigned int mask) {
        int number = 0;
        while (!(mask & 1)) { mask >>= 1; number++; }
        return number;
    }
    #define wf_fetch(place) ((void) (place))
    #endif
    """
    int lowest "wf_lowest" (unsigned int mask) noexcept nogil
    void fetch "wf_fetch" (const void *place) noexcept nogil
