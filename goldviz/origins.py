"""Hosts and origins, as a person writes them for the server and as a browser sends them.

An origin is where a page comes from: its scheme, its host and its port (RFC 6454).
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address

HOSTS = "GOLDVIZ_HOSTS"
"""Names under which the server answers beside its own, separated by commas; ``--allow-host`` adds to them."""
EMBEDDING = "GOLDVIZ_EMBEDDING"
"""Origins whose pages may show goldviz in a frame, separated by commas; ``--allow-embedding`` adds to them."""
PORTS = {"http": 80, "https": 443}
"""The port of a scheme where none is written."""
ADDRESS = re.compile(
    r"(?:(?P<scheme>https?)://)?(?P<host>[0-9a-z](?:[0-9a-z._-]*[0-9a-z])?|\[[0-9a-f:.]+\])(?::(?P<port>[0-9]{1,5}))?",
    re.IGNORECASE | re.ASCII,
)

log = logging.getLogger(__name__)


class AddressError(ValueError):
    """An address that cannot be meant; the message is a sentence for a person."""


@dataclass(frozen=True)
class Origin:
    """A scheme, a host in small letters (IPv6 without brackets) and a port."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        """As a browser writes it: without the port that the scheme has anyway."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if self.port == PORTS[self.scheme] else f":{self.port}")


def _parts(text: str) -> tuple[str, str, int | None] | None:
    """Scheme, host and port of an address; nothing where it is none, or has more to it than these."""
    match = ADDRESS.fullmatch(text)
    if match is None:
        return None
    host, port = match["host"].lower(), int(match["port"]) if match["port"] else None
    if host.startswith("["):
        try:
            host = str(IPv6Address(host[1:-1]))
        except ValueError:
            return None
    if port is not None and not 1 <= port <= 65_535:
        return None
    return (match["scheme"] or "").lower(), host, port


def origin_of(text: str) -> Origin | None:
    """An ``Origin`` that a browser sent; nothing for what is no page of a site, such as ``null``."""
    parts = _parts(text)
    if parts is None or not parts[0]:
        return None
    scheme, host, port = parts
    return Origin(scheme, host, port or PORTS[scheme])


def origin_of_request(scheme: str, host: str) -> Origin | None:
    """Where a request was sent to, by its scheme and its ``Host``; nothing where that is none."""
    return origin_of(f"{scheme}://{host}")


def allowed_host(text: str, setting: str = "--allow-host") -> frozenset[Origin]:
    """What ``--allow-host`` means: the origins at which a visitor may have opened the server.

    A bare name means both schemes at the ports that they have anyway, a name with a port both schemes at this port,
    and a whole origin itself. Raises :class:`AddressError`.

    >>> sorted(map(str, allowed_host("Lab.example")))
    ['http://lab.example', 'https://lab.example']
    >>> sorted(map(str, allowed_host("lab.example:8443")))
    ['http://lab.example:8443', 'https://lab.example:8443']
    >>> sorted(map(str, allowed_host("https://lab.example")))
    ['https://lab.example']
    """
    parts = _parts(text) or _parts(f"[{text}]")
    if parts is None:
        raise AddressError(
            f"{setting} is {text!r}; allowed is a name or a number, perhaps with a port or a scheme: "
            "lab.example, lab.example:8443 or https://lab.example."
        )
    scheme, host, port = parts
    return frozenset(Origin(one, host, port or PORTS[one]) for one in ([scheme] if scheme else PORTS))


def allowed_embedding(text: str, setting: str = "--allow-embedding") -> frozenset[Origin]:
    """What ``--allow-embedding`` means: the origin whose pages may show goldviz in a frame.

    Raises :class:`AddressError`.

    >>> [str(origin) for origin in allowed_embedding("https://Site.example:8443")]
    ['https://site.example:8443']
    """
    origin = origin_of(text)
    # frame-ancestors has no form for IPv6 numbers (CSP level 3, section 2.3.1).
    if origin is None or ":" in origin.host:
        raise AddressError(
            f"{setting} is {text!r}; allowed is the scheme and host of the pages that show goldviz, perhaps with a "
            "port: https://site.example or http://site.example:8080."
        )
    return frozenset({origin})


MEANINGS: dict[str, Callable[[str, str], frozenset[Origin]]] = {HOSTS: allowed_host, EMBEDDING: allowed_embedding}
"""What a value of each variable means; its other argument names the setting in the sentence of a refusal."""


def listed(variable: str) -> list[str]:
    """The values of a variable, which separates them by commas."""
    return [value.strip() for value in os.environ.get(variable, "").split(",") if value.strip()]


def from_environment(variable: str) -> frozenset[Origin]:
    """The origins that the values of a variable mean; what is not allowed is told in the log and left out."""
    origins: set[Origin] = set()
    for text in listed(variable):
        try:
            origins |= MEANINGS[variable](text, variable)
        except AddressError as error:
            log.error("%s", error)
    return frozenset(origins)
