"""CRC-32C (Castagnoli, RFC 3720 appendix B.4), masked as TFRecord files store it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_POLYNOMIAL = 0x82F63B78
_MASK = 0xA282EAD8  # tensorflow/core/lib/hash/crc32c.h


def _table() -> list[int]:
    out = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (_POLYNOMIAL if crc & 1 else 0)
        out.append(crc)
    return out


_TABLE = _table()
_TABLE_ARRAY = np.array(_TABLE, dtype=np.uint32)


def masked_crc(data: bytes) -> int:
    """Of one short string: about 10 MB a second."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF


def masked_crcs(rows: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Of each row of ``rows`` (n, length)."""
    crc = np.full(len(rows), 0xFFFFFFFF, dtype=np.uint32)
    for column in rows.T:
        crc = crc >> np.uint32(8) ^ _TABLE_ARRAY[(crc ^ column) & np.uint32(0xFF)]
    crc ^= np.uint32(0xFFFFFFFF)
    return (crc >> np.uint32(15) | crc << np.uint32(17)) + np.uint32(_MASK)
