"""A market as a Parquet file: a long table (time, channel, value), and all that is said about it in the header.

Nothing is ever unpickled, and no pandas note in the file is believed. The file carries two SHA-256 digests: that of
its content is the market's name, that of its description keeps the header from being damaged unnoticed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from goldviz.data.markets.market import Channel, Market, Release

DESCRIPTION = b"goldviz.market"
DIGEST = b"goldviz.market.sha256"
NAME_LENGTH = 16


class DamagedMarketError(ValueError):
    """A file that does not hold the market that it should."""


def market_name(market: Market) -> str:
    """16 hexadecimal digits of the SHA-256 of where a market comes from, its channels and all their values.

    When it was retrieved and what is noted about it are not part of it: the same numbers have the same name.
    """
    digest = hashlib.sha256()
    digest.update(_json({"source": market.source, "origin": market.origin, "channels": _channel_facts(market)}))
    for channel in market.channels:
        times, values = _columns(channel)
        digest.update(len(times).to_bytes(8, "little"))
        digest.update(times.astype("<i8").tobytes())
        digest.update(np.where(np.isnan(values), np.nan, values).astype("<f8").tobytes())
    return digest.hexdigest()[:NAME_LENGTH]


def market_file(market: Market) -> bytes:
    """The market as the bytes of a Parquet file.

    Raises :class:`goldviz.data.markets.market.MarketError` for a target without any value.
    """
    columns = [_columns(channel) for channel in market.channels]
    places = np.repeat(np.arange(len(columns), dtype=np.int32), [len(times) for times, _ in columns])
    names = pa.array([channel.name for channel in market.channels], pa.string())
    description = _json(
        {
            "name": market_name(market),
            "source": market.source,
            "origin": market.origin,
            "retrieved": market.retrieved.isoformat(),
            "notes": dict(market.notes),
            "channels": _channel_facts(market),
            "observations": sum(len(channel.observed) for channel in market.channels),
            "last": market.last.isoformat(),
            "first": market.target.observed.index[0].isoformat(),
        }
    )
    table = pa.table(
        {
            "time": pa.array(np.concatenate([times for times, _ in columns]), pa.timestamp("s")),
            "channel": pa.DictionaryArray.from_arrays(pa.array(places), names),
            "value": pa.array(np.concatenate([values for _, values in columns]), pa.float64()),
        },
        metadata={DESCRIPTION: description, DIGEST: hashlib.sha256(description).hexdigest().encode()},
    )
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def market_description(path: Path) -> dict[str, Any]:
    """What is said about the market in a file's header, without reading its values.

    Raises :class:`DamagedMarketError`, or ``FileNotFoundError`` where there is no such file.
    """
    with _damage_named():
        return _checked_description(pq.read_metadata(path).metadata or {})


def read_market(content: bytes) -> Market:
    """The market in the bytes of a file.

    Raises :class:`DamagedMarketError` where they cannot be read, or hold something other than what they are named by.
    """
    with _damage_named():
        table = pq.read_table(pa.BufferReader(content), page_checksum_verification=True)
        description = _checked_description(table.schema.metadata or {})
        # Parquet has no unit of seconds: it comes back in milliseconds.
        times = table["time"].cast(pa.timestamp("s")).cast(pa.int64()).to_numpy()
        values = table["value"].to_numpy()
        encoded = table["channel"].cast(pa.string()).combine_chunks().dictionary_encode()
        codes = encoded.indices.to_numpy()
        by_channel = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
        rows_of = dict(zip(encoded.dictionary.to_pylist(), by_channel, strict=True))
        channels = []
        for facts in description["channels"]:
            mine = rows_of.get(facts["name"], np.empty(0, np.int64))
            series = pd.Series(values[mine], pd.DatetimeIndex(times[mine].view("datetime64[s]")))
            channels.append(Channel(**{**facts, "values": series, "release": Release(**facts["release"])}))
        moment = pd.Timestamp(description["retrieved"])
        market = Market(tuple(channels), description["source"], description["origin"], moment, description["notes"])
        if market_name(market) != description["name"]:
            raise ValueError("The content is not the one after which the file is named.")
        return market


@contextmanager
def _damage_named() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except (ValueError, TypeError, KeyError, OSError, pa.ArrowException) as error:
        raise DamagedMarketError(str(error)) from error


def _checked_description(metadata: Mapping[bytes, bytes]) -> dict[str, Any]:
    description = metadata.get(DESCRIPTION, b"")
    if hashlib.sha256(description).hexdigest().encode() != metadata.get(DIGEST):
        raise ValueError("The header is not that of a market, or it is damaged.")
    fields: dict[str, Any] = json.loads(description)
    return fields


def _channel_facts(market: Market) -> list[dict[str, Any]]:
    """All of every channel but its values, in order."""
    return [
        {
            "name": channel.name,
            "words": channel.words,
            "transformation": channel.transformation,
            # Without an empty period, so that markets from before there were any keep their names.
            "release": {name: fact for name, fact in asdict(channel.release).items() if fact or name != "period"},
            "unit": channel.unit,
        }
        for channel in market.channels
    ]


def _columns(channel: Channel) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Seconds since 1970 and values, the days listed without a value among them."""
    days = pd.DatetimeIndex(channel.values.index).as_unit("s")
    return days.asi8, channel.values.to_numpy(dtype=np.float64)


def _json(facts: Mapping[str, Any]) -> bytes:
    return json.dumps(facts, sort_keys=True, ensure_ascii=True, allow_nan=False).encode()
