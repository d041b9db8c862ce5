"""Release times as a person says them, and as a person writes them."""

from __future__ import annotations

import re
from functools import cache
from zoneinfo import available_timezones

from goldviz.data.markets.market import MarketError, Release

ALLOWED_RELEASES = (
    "a time and a city, perhaps with a wait: 14:30 New York, or 16:15 New York, next working day, or 23:59 UTC, end of "
    "month"
)
BANK_CITIES = {
    "New York": "America/New_York",
    "Frankfurt": "Europe/Berlin",
    "London": "Europe/London",
    "Tokyo": "Asia/Tokyo",
    "Beijing": "Asia/Shanghai",
    "Bern and Zurich": "Europe/Zurich",
    "Brasília": "America/Sao_Paulo",
    "Budapest": "Europe/Budapest",
    "Copenhagen": "Europe/Copenhagen",
    "Istanbul": "Europe/Istanbul",
    "Jakarta": "Asia/Jakarta",
    "Jerusalem": "Asia/Jerusalem",
    "Mexico City": "America/Mexico_City",
    "Mumbai": "Asia/Kolkata",
    "Oslo": "Europe/Oslo",
    "Ottawa": "America/Toronto",
    "Prague": "Europe/Prague",
    "Pretoria": "Africa/Johannesburg",
    "Santiago": "America/Santiago",
    "Seoul": "Asia/Seoul",
    "Stockholm": "Europe/Stockholm",
    "Sydney": "Australia/Sydney",
    "Warsaw": "Europe/Warsaw",
    "Wellington": "Pacific/Auckland",
    "UTC": "UTC",
}
"""Where central banks publish, and the time zones of their hours."""

MOST_DAYS = 400
_WRITTEN = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})\s+(?P<place>[^\W\d_][\w+/ -]*?)"
    r"(?:,\s*end of (?P<period>week|month|quarter|year))?"
    r"(?:,\s*(?P<days>next|\d{1,3}) days?(?: later)?)?"
    r"(?:,\s*(?P<working>next|\d{1,3}) working days?(?: later)?)?"
)


def release_words(release: Release) -> str:
    """When a value is out, as a person says it.

    >>> release_words(Release("16:15", "America/New_York", business_days=1)), release_words(Release("23:59", "UTC"))
    ('16:15 New York, next working day', '23:59 UTC')
    """
    place = release.zone.split("/")[-1].replace("_", " ")
    waits = [f"end of {release.period}" if release.period else ""]
    waits += [_wait_words(release.days, "day"), _wait_words(release.business_days or 0, "working day")]
    return ", ".join([f"{release.clock} {place}", *(words for words in waits if words)])


def _wait_words(count: int, unit: str) -> str:
    return {0: "", 1: f"next {unit}"}.get(count, f"{count} {unit}s later")


def written_release(text: str) -> Release:
    """The release that a person wrote, in the words of :func:`release_words`; zones may have their full names.

    Raises :class:`MarketError` for anything else, in a sentence that says what is allowed.

    >>> written_release("14:30 New York"), written_release("9:00 Europe/London, 2 days later").days
    (Release(clock='14:30', zone='America/New_York', days=0, business_days=None, period=''), 2)
    """
    match = _WRITTEN.fullmatch(text.strip())
    zone = _zones().get(match["place"].replace("_", " ").strip().lower()) if match else None
    if match is None or zone is None or int(match["hour"]) > 23 or int(match["minute"]) > 59:
        raise MarketError(f"{text[:60]!r} is no release time; allowed is {ALLOWED_RELEASES}.", "not_allowed")
    days, working = (_count(match[part]) for part in ("days", "working"))
    if max(days, working) > MOST_DAYS:
        raise MarketError(f"{text[:60]!r} waits too long; allowed are at most {MOST_DAYS} days.", "not_allowed")
    clock, business_days = f"{int(match['hour']):02d}:{match['minute']}", working if match["working"] else None
    return Release(clock, zone, days, business_days, period=match["period"] or "")  # type: ignore[arg-type]


def _count(text: str | None) -> int:
    return 1 if text == "next" else int(text or 0)


@cache
def _zones() -> dict[str, str]:
    """Zones by their city and by their full name, in small letters."""
    zones = sorted(available_timezones(), key=lambda zone: zone.count("/"), reverse=True)
    cities = {zone.split("/")[-1].replace("_", " ").lower(): zone for zone in zones}
    banks = {city.lower(): zone for city, zone in BANK_CITIES.items()}
    return cities | banks | {zone.replace("_", " ").lower(): zone for zone in zones} | {"utc": "UTC"}
