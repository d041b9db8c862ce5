"""Which networks a run of *Adaptive computation time* trains beside one another, and what each pays for a step."""

from __future__ import annotations

from goldviz.models.style import NetworkStyle

SHARES = {"free": 0.0, "tenth": 0.1, "tau": 1.0, "tenfold": 10.0}
"""Price of a step as a multiple of tau, by network."""
STYLES = {
    "free": NetworkStyle("τ = 0", "#d55e00", "dot", "triangle-up"),
    "tenth": NetworkStyle("τ / 10", "#009e73", "dash", "square"),
    "tau": NetworkStyle("τ", "#0e7ac0", "solid", "circle"),
    "tenfold": NetworkStyle("10 τ", "#c46a9c", "dashdot", "diamond"),
}
"""How each network looks."""


def trained_networks(choice: str) -> tuple[str, ...]:
    """The networks that the setting ``networks`` means: the one with tau, or all."""
    return tuple(SHARES) if choice == "all" else ("tau",)


def price(tau: float, network: str) -> float:
    """What a step of thinking costs the network."""
    return SHARES[network] * tau
