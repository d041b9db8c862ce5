"""The settings that say which market is used, for every experiment and instant page that uses one."""

from __future__ import annotations

from typing import Any

from goldviz.declare.settings import setting

MARKET_SETTINGS = ("data", "market_seed")
"""They are the visitor's, so presets leave them alone."""


def market_setting() -> Any:
    """The name of the market: simulated, or data kept on this server. A panel of the page sets it."""
    return setting(
        "simulated",
        group="Data",
        control="market",
        pattern="^(simulated|[0-9a-f]{16})$",
        allowed="'simulated', or the 16 characters that name data kept on this server",
        description="The market: simulated, or data kept on this server.",
    )


def market_seed_setting() -> Any:
    """The seed of the simulated market."""
    return setting(
        0,
        ge=0,
        le=999,
        group="Data",
        control="market seed",
        description="Seed of the simulated market; real data ignore it.",
    )
