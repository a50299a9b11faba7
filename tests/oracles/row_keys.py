"""The key of a row, in Python's integers."""

import struct

MASK = 2**64 - 1


def finish(h):
    """Mix 64 bits as splitmix64 does."""
    h = ((h ^ (h >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    h = ((h ^ (h >> 27)) * 0x94D049BB133111EB) & MASK
    return h ^ (h >> 31)


def fold(v):
    """Return the high half of a 128-bit product, xor the low half."""
    p = v * 0xA0761D6478BD642F
    return (p >> 64) ^ (p & MASK)


def row_key(x, seed):
    """Return the key of one row."""
    s = finish(seed)
    for j, value in enumerate(x):
        a = finish((seed + (j + 1) * 0x9E3779B97F4A7C15) & MASK)
        (bits,) = struct.unpack("<Q", struct.pack("<d", float(value) + 0.0))
        s = (s + fold(bits ^ a) - fold(a)) & MASK
    return finish(s)
