"""The one number that a scalar tensor of an event file holds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class _Type(NamedTuple):
    field: str
    dtype: str


# tensorboard/compat/proto/types.proto
_TYPES = {
    1: _Type("float_val", "<f4"),
    2: _Type("double_val", "<f8"),
    3: _Type("int_val", "<i4"),
    4: _Type("int_val", "<u1"),
    5: _Type("int_val", "<i2"),
    6: _Type("int_val", "<i1"),
    9: _Type("int64_val", "<i8"),
    10: _Type("bool_val", "?"),
    14: _Type("half_val", "bfloat16"),
    17: _Type("int_val", "<u2"),
    19: _Type("half_val", "<f2"),
    22: _Type("uint32_val", "<u4"),
    23: _Type("uint64_val", "<u8"),
}


def scalar(tensor: Any) -> float | None:
    """None for a tensor of another type, of more than one element or of none. A tensor without its value is 0, as in TensorFlow."""
    kind = _TYPES.get(tensor.dtype)
    if kind is None or tensor.tensor_shape.unknown_rank or any(dim.size != 1 for dim in tensor.tensor_shape.dim):
        return None
    content = tensor.tensor_content
    if content:
        return _unpack(content, kind.dtype)
    values = getattr(tensor, kind.field)
    if not values:
        return 0.0
    if kind.field == "half_val":
        return _unpack((values[0] & 0xFFFF).to_bytes(2, "little"), kind.dtype)
    return float(values[0])


def _unpack(content: bytes, dtype: str) -> float | None:
    if dtype == "bfloat16":  # the upper half of a float32
        content, dtype = (b"\0\0" + content, "<f4") if len(content) == 2 else (b"", "<f4")
    if len(content) != np.dtype(dtype).itemsize:
        return None
    return float(np.frombuffer(content, dtype=dtype)[0])
