"""How the numbers of forecasts are said: signed percentages, intervals, p-values, counts; and what has none."""

from __future__ import annotations

import numpy as np

from goldviz.diagnostics.findings import times

DIVERGED = "Training diverged: its loss stopped being a finite number, so there is no forecast to judge."
NO_FORECAST_YET = "No forecast yet: the first ones come with the first look."


def signed(value: float, digits: int = 2) -> str:
    """A number with its sign, and a minus that is one.

    >>> signed(0.144), signed(-0.02)
    ('+0.14', '−0.02')
    """
    if not np.isfinite(value):
        return "no number"
    text = f"{value:+,.{digits}f}"
    return (text if float(text.replace(",", "")) else text[1:]).replace("-", "−")


def signed_percent(share: float) -> str:
    """A share as a percentage with its sign: two decimals below 1 %, one below 10 %, none from there on.

    >>> signed_percent(-0.0003), signed_percent(0.034), signed_percent(0.61), signed_percent(-53.2)
    ('−0.03 %', '+3.4 %', '+61 %', '−5,300 %')
    """
    if not np.isfinite(share):
        return "no number"
    size = abs(100 * share)
    if size >= 1000:
        return f"{'−' if share < 0 else '+'}{times(size)} %"
    return f"{signed(100 * share, 2 if size < 0.995 else 1 if size < 9.95 else 0)} %"


def plain_number(value: float, digits: int = 2) -> str:
    """A number whose sign is shown only where it is a minus.

    >>> plain_number(0.144), plain_number(-0.02)
    ('0.14', '−0.02')
    """
    return signed(value, digits).removeprefix("+")


def near_one(value: float) -> str:
    """An R2 near 1 with as many digits as tell it from 1, at most seven.

    >>> near_one(0.99826), near_one(0.999961), near_one(-0.2)
    ('0.998', '0.99996', '−0.200')
    """
    if not np.isfinite(value):
        return "no number"
    digits = next((d for d in range(3, 7) if round(value, d) < 1), 7)
    return f"{value:.{digits}f}".replace("-", "−")


def p_value(p: float) -> str:
    """A p-value: two digits, and no smaller than 0.001.

    >>> p_value(0.974), p_value(1e-9)
    ('p = 0.97', 'p < 0.001')
    """
    if not np.isfinite(p):
        return ""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2f}" if p >= 0.01 else f"p = {p:.3f}"


def p_in_table(p: float) -> str:
    """A p-value as a cell of a column of them; a dash for none.

    >>> p_in_table(0.974), p_in_table(1e-9), p_in_table(np.nan)
    ('0.97', '< 0.001', '–')
    """
    return p_value(p).removeprefix("p = ").removeprefix("p ") or "–"


def forecasts_counted(count: int, *, simulated: bool = False) -> str:
    """A number of forecasts in words, and of which kind of market they are.

    >>> forecasts_counted(1498), forecasts_counted(1, simulated=True)
    ('1,498 forecasts', '1 forecast of a simulated market')
    """
    return f"{count:,} forecast{'' if count == 1 else 's'}{' of a simulated market' if simulated else ''}"
