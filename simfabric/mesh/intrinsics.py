"""What a processor does in one instruction. Compiled code uses the C functions of the .pxd."""


def lowest(mask):
    """Number of the lowest bit of a mask that is not 0."""
    return (mask & -mask).bit_length() - 1


def fetch(place):
    """Ask for a line of memory before it is needed; nothing to do in Python."""
