"""Numbers as every view writes them (the same digits in a headline, a limit and a table)."""

from __future__ import annotations

import math


def number(x: float | int | None) -> str:
    """Three digits; from 1,000 whole with thousands; below 0.001 and from 1e6 ``2e-4``, ``8.1e9``; − for a minus."""
    if x is None:
        return "none"
    x = float(x)
    if not math.isfinite(x):
        return "NaN" if math.isnan(x) else ("∞" if x > 0 else "−∞")
    if x < 0:
        return "−" + number(-x)
    if x == 0:
        return "0"
    if x < 0.001 or x >= 1e6:
        mantissa, exponent = f"{x:.1e}".split("e")
        return f"{mantissa.removesuffix('.0')}e{int(exponent)}"
    if x >= 1000:
        return f"{x:,.0f}"
    text = f"{x:.3g}"
    return f"{x:,.0f}" if "e" in text else text


def share(x: float) -> str:
    """``0.123`` → ``12 %``; under one percent two digits are kept."""
    p = 100 * float(x)
    if not math.isfinite(p):
        return number(p)
    if p != 0 and abs(p) < 10:
        return f"{p:.2g} %".replace("-", "−")
    return f"{p:.0f} %".replace("-", "−")


def step_text(step: int) -> str:
    return f"{step:,}"


def change(a: float, b: float, unit: str = "") -> str:
    """``0.74 → 0 nats``."""
    show = share if unit == "%" else number
    tail = f" {unit}" if unit and unit != "%" else ""
    return f"{show(a)} → {show(b)}{tail}"


def quantity(x: float, unit: str = "") -> str:
    """A number with its unit; ``%`` writes a share as a percentage."""
    if unit == "%":
        return share(x)
    return f"{number(x)} {unit}" if unit else number(x)


def steps(n: int) -> str:
    return "1 step" if n == 1 else f"{n:,} steps"


class Quantity(float):
    """A float that a message may format: ``{value}`` in its unit, ``{value:num}``, ``{value:share}``."""

    unit: str

    def __new__(cls, x: float, unit: str = "") -> Quantity:
        self = super().__new__(cls, x)
        self.unit = unit
        return self

    def __format__(self, spec: str) -> str:
        if spec == "num":
            return number(self)
        if spec == "share":
            return share(self)
        return float.__format__(self, spec) if spec else quantity(self, self.unit)
