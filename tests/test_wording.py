"""Numbers as every view writes them."""

from __future__ import annotations

import pytest

from rl_diag_plugin.wording import Quantity, change, number, quantity, share, steps


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0, "0"), (0.74, "0.74"), (0.5621, "0.562"), (15.94, "15.9"), (999.6, "1,000"), (20480, "20,480"), (2e-4, "2e-4"),
        (0.00033, "3.3e-4"), (8.1e9, "8.1e9"), (1e6, "1e6"), (-0.34, "−0.34"), (float("nan"), "NaN"), (float("inf"), "∞"),
        (float("-inf"), "−∞"), (1e308, "1e308"),
    ],
)  # fmt: skip
def test_three_digits_thousands_and_powers(x: float, text: str) -> None:
    assert text == number(x)


@pytest.mark.parametrize(
    ("x", "text"), [(0, "0 %"), (0.123, "12 %"), (0.05, "5 %"), (0.038, "3.8 %"), (1.0, "100 %"), (-0.02, "−2 %"), (0.0996, "10 %")]
)
def test_shares_are_percentages(x: float, text: str) -> None:
    assert text == share(x)


def test_changes_and_units() -> None:
    assert "3.3e-4 → 0.242 nats" == change(3.3e-4, 0.2418, "nats")
    assert "2 % → 12 %" == change(0.02, 0.12, "%")
    assert "12 tokens" == quantity(12, "tokens")
    assert ("1 step", "58 steps") == (steps(1), steps(58))


def test_a_message_formats_a_quantity_in_its_unit_or_as_asked() -> None:
    assert "0.242 nats, 24 %, 0.24" == "{x}, {x:share}, {x:.2f}".format(x=Quantity(0.242, "nats"))
