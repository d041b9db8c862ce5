"""What a worker does with a series that a visitor brings: read its file, and keep it under its content's name."""

from __future__ import annotations

from dataclasses import dataclass

from goldviz.data.tables.brought_files import Told, brought_content, told
from goldviz.data.tables.file_table import Report, unheard
from goldviz.data.tables.kept_labels import keep_label
from goldviz.data.tables.whole_files import digest, disk_faults_as
from goldviz.labs.leaderboard.kept_series import KEPT_SERIES, packed
from goldviz.labs.leaderboard.multivariate import SeriesError
from goldviz.labs.leaderboard.series_file import read_series


@dataclass(frozen=True)
class BroughtSeries:
    """The name of a kept series, and sentences on how its file was read."""

    name: str
    notes: tuple[str, ...]


def keep(report: Report, key: str, file: str) -> Told[BroughtSeries]:
    """Keep the series in the file of this key, or say why it is refused.

    Raises :class:`SeriesError` where the server has let go of the file.
    """
    content = brought_content(key, file, SeriesError)
    return told(lambda: keep_series(content, file, report), SeriesError)


def keep_series(content: bytes, file: str, report: Report = unheard) -> BroughtSeries:
    """Keep the series in a file; the same series kept again has the same name.

    Raises :class:`SeriesError` as :func:`read_series` does, and where the folder cannot be written.
    """
    read = read_series(content, file, report)
    data = packed(read.series)
    name = digest(data)
    with disk_faults_as(SeriesError, "Series that are brought cannot be written on this server"):
        KEPT_SERIES.write(name, data)
        KEPT_SERIES.make_room(survivor=name)
    keep_label(name, file)
    return BroughtSeries(name, read.notes)
