"""Rows that several columns share, and a column's values at rows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..model import Column, Floats, Rows


def common_rows(columns: Iterable[Column]) -> Rows | None:
    """The rows that all of them have; None means every row."""
    out: Rows | None = None
    for rows, _ in columns:
        if rows is not None and rows is not out:
            out = rows if out is None or np.array_equal(out, rows) else np.intersect1d(out, rows, assume_unique=True)
    return out


def values_at(column: Column, rows: Rows | None) -> Floats:
    """A column's values at rows that it all has."""
    if rows is None or column.rows is rows:
        return column.values
    return column.values[rows if column.rows is None else np.searchsorted(column.rows, rows)]


def values_or_nan(column: Column | None, rows: Rows | None, n: int) -> Floats:
    """The values at rows of ``n``, NaN where the column has none; None is a column without a cell."""
    if column is None:
        return np.full(n if rows is None else len(rows), np.nan)
    if column.rows is None:
        return column.values if rows is None else column.values[rows]
    full = np.full(n, np.nan)
    full[column.rows] = column.values
    return full if rows is None else full[rows]
