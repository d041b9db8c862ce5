"""Take it with you: the link, the numbers, the report and the code that repeats a run or an instant page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st
import xarray as xr

from goldviz.declare.data_labels import labels_of
from goldviz.declare.instant import Instant
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.settings import Experiment
from goldviz.export.report import lane_of_run, lane_of_unread_run, report_of_lanes, report_of_view
from goldviz.export.shell_line import shell_line
from goldviz.export.table import curves_csv
from goldviz.figures.spec import FigureSpec, by_name
from goldviz.runs.store.arrays import changes_by_step
from goldviz.ui.panels import lanes
from goldviz.ui.panels.lanes import AnyLane, Lane

TITLE = "Take it with you"
FORMS = {
    "csv": ("text/csv", ":material/table:"),
    "html": ("text/html", ":material/description:"),
    "py": ("text/x-python", ":material/code:"),
}
"""What a browser is told of a file with this ending, and the button's icon."""


def download(words: str, make: Callable[[], str], file_name: str, key: str, *, disabled: bool = False) -> None:
    """A button for a file, which is made when it is asked for."""
    ending = file_name.rpartition(".")[2]
    mime, icon = FORMS[ending]
    # A spreadsheet takes a table without this mark for one of its own country's letters.
    mark = "\ufeff" if ending == "csv" else ""
    st.download_button(
        words,
        lambda: mark + make(),
        file_name=file_name,
        mime=mime,
        key=key,
        icon=icon,
        on_click="ignore",
        disabled=disabled,
    )


def show(experiment: type[Experiment], visible_lanes: Sequence[AnyLane], figures: Mapping[str, FigureSpec]) -> None:
    """Buttons to take the last lane's run along, and all lanes in the report; a file is made when it is asked for."""
    lane = visible_lanes[-1]
    st.caption(
        "The address in your browser is a link to these settings, seeds and runs: it opens the same view for anyone "
        "who reaches this server. The script needs Python and what its first lines name."
    )
    stem = "-".join(["goldviz", experiment.name, *data_in_name(lane), lane.id.removeprefix("example:")])
    with st.container(horizontal=True, gap="small"):
        none = not lane.last_step
        download("Curves (CSV)", lambda: curves_csv(lane.dataset), f"{stem}.csv", f"csv-{lane.id}", disabled=none)
        download(
            "Report (HTML)", lambda: _report(visible_lanes, figures), f"{stem}.html", f"html-{lane.id}", disabled=none
        )
        if isinstance(lane, Lane):
            changes = changes_by_step(lane.dataset)
            script = f"{stem.replace('-', '_')}.py"
            download(
                "Python script",
                lambda: laboratory_of(lane.settings).script(lane.settings, changes),
                script,
                f"script-{lane.id}",
            )
    if isinstance(lane, Lane):
        st.code(shell_line("run", lane.settings, "run.nc"), language="bash")


def data_in_name(lane: AnyLane) -> list[str]:
    """What the lane's data are called, as part of a file's name; nothing where every machine has them."""
    labels = labels_of(lane.settings, lanes.kept_labels(lane.run)) if isinstance(lane, Lane) else {}
    return [part for label in labels.values() if (part := re.sub(r"[^\w.]+", "_", label).strip("_."))]


def _report(visible_lanes: Sequence[AnyLane], figures: Mapping[str, FigureSpec]) -> str:
    """The report of all lanes, each under its title where there are several."""
    readable = [lane for lane in visible_lanes if isinstance(lane, Lane)]
    limits = None
    if len(readable) > 1:
        limits = laboratory_of(readable[0].settings).figures().shared_limits([lane.records for lane in readable])
    report_lanes = [
        lane_of_run(lane.settings, lane.dataset, figures, limits)
        if isinstance(lane, Lane)
        else lane_of_unread_run(lane.complaint, lane.dataset, figures)
        for lane in visible_lanes
    ]
    if len(report_lanes) > 1:
        report_lanes = [replace(one, title=lane.title) for one, lane in zip(report_lanes, visible_lanes, strict=True)]
    return report_of_lanes(report_lanes, readable[0].settings.title if len(report_lanes) > 1 and readable else "")


def show_view(settings: Instant, dataset: xr.Dataset, figures: Callable[[], list[FigureSpec]]) -> None:
    """Buttons to take along what an instant page can show; its ``figures`` are made when the report is asked for."""
    st.caption(
        "The address in your browser is a link to these settings. The lines below give the same numbers in a notebook "
        "and in a shell."
    )
    stem, key = f"goldviz-{settings.name}", settings.name
    with st.container(horizontal=True, gap="small"):
        download("Numbers (CSV)", lambda: curves_csv(dataset), f"{stem}.csv", f"csv-{key}")
        report = f"{stem}.html"
        html = partial(_report_of_view, settings, dataset, figures)
        download("Report (HTML)", html, report, f"html-{key}")
    keywords = "".join(f", {name}={value!r}" for name, value in settings.differences().items())
    st.code(f'import goldviz\n\nds = goldviz.compute("{settings.name}"{keywords})', language="python", wrap_lines=True)
    st.code(shell_line("compute", settings, f"{stem}.nc"), language="bash", wrap_lines=True)


def _report_of_view(settings: Instant, dataset: xr.Dataset, figures: Callable[[], list[FigureSpec]]) -> str:
    return report_of_view(settings, dataset, by_name(*figures()))
