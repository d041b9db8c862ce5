"""Gold and its covariates as they are observed: calendars, gaps, release times, and what they say of the next return.

Document 001, section 1.1: the target is gold's log return, and the loss counts observed times t_k alone. A market that
goes below zero is seen in changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from goldviz.arrays.readings import Coordinate
from goldviz.declare import market_settings
from goldviz.declare.instant import Instant
from goldviz.declare.settings import About, Preset, setting

MOST_COVARIATES = 60


class GoldMarket(Instant):
    """One market: who is observed on which day, what its returns are like, and what is known at a forecast."""

    about = About(
        "gold-market",
        "Gold market",
        icon=":material/calendar_month:",
        section="Markets",
        rank=50,
        sought="gold price returns volatility release calendar look-ahead bias leak macro",
        question="What of gold is observed, and when?",
    )

    data: str = market_settings.market()
    market_seed: int = market_settings.market_seed()
    tone_response: float = market_settings.tone_response()
    alignment: market_settings.Alignment = market_settings.alignment(group="Observation")
    missing: str = market_settings.missing(group="Observation", essential=True)
    """What is hidden of the covariates, to see what missing data look like. Gold itself is never hidden."""
    missing_share: float = market_settings.missing_share(0.5, group="Observation", essential=True)
    years: int = setting(20, ge=1, le=60, group="View", essential=True, unit="years")
    """The last years, which are shown and measured."""
    window: int = setting(120, ge=20, le=500, group="View", essential=True, unit="observations")
    """Observations in the window of the rolling volatility and correlation."""
    channel: int = setting(1, ge=1, le=MOST_COVARIATES, group="View", essential=True)
    """Number of the covariate that stands beside the target."""

    moment: int = setting(20, ge=1, le=49, group="View", unit="hours")
    """When the forecast in view is made: 1 is the midnight that begins a day (UTC), 49 that two days later."""
    position: ClassVar[str] = "moment"

    kept_by_presets: ClassVar[tuple[str, ...]] = (*market_settings.MARKET_SETTINGS, "channel", "moment")
    units: ClassVar[Mapping[str, str]] = {"dated": "d", "wait": "h", "typical_wait": "h", "longest_gap": "d"}
    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        **dict.fromkeys(("day", "answer_day", "change_day", "row"), Coordinate("Day", linked="day")),
        "month": Coordinate("Month", linked="day"),
        "lag": Coordinate("Lag (observations)"),
        "bin": Coordinate("Move"),
    }
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "As in the document", "Partial observations: each series has its own dates and is used only after release."
        ),
        Preset(
            "Documents that move gold",
            "Gold was told to answer to the tone of generated statements. With 0.3 planted, tone and moves go "
            "together on 10 of 10 simulated markets. With nothing planted, on 1 of 10, as chance has it.",
            {"tone_response": 0.3},
        ),
        Preset(
            "Break it: join by calendar date",
            "One row a date, as a spreadsheet joins: at the forecast, values stand in the row that are not out yet.",
            {"alignment": "date"},
        ),
        Preset(
            "Hide half",
            "Half of the covariates' observations are gone, at random. At most 2 forecasts in 1,000 have something "
            "new of every channel, on 10 of 10 simulated markets.",
            {"missing": "random", "missing_share": 0.5},
        ),
        Preset(
            "Blocks of weeks missing",
            "All covariates fall silent together, ten rows on average, as when a feed is down.",
            {"missing": "blocks", "missing_share": 0.3},
        ),
        Preset(
            "Whole channels missing",
            "Half of the covariates, of seven four, are not there at all.",
            {"missing": "channel", "missing_share": 0.5},
        ),
    )

    def positions(self) -> tuple[int, int]:
        """The hours of two days."""
        return 1, 49

    def without_effect(self) -> Mapping[str, str]:
        """Where nothing is hidden, there is no share of it; nothing is planted in real data."""
        share = {"missing_share": "Nothing is hidden."} if self.missing == "none" else {}
        tone = {} if self.data == "simulated" else {"tone_response": "Nothing is planted in data of your own."}
        return share | tone
