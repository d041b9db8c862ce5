"""Take it with you: the link, the curves, the report and the script of a run."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from goldviz.experiments.base import Experiment
from goldviz.figures.report import report_of_run
from goldviz.figures.spec import FigureSpec
from goldviz.figures.table import curves_csv
from goldviz.runs.arrays import changes_by_step
from goldviz.ui.lanes import Lane


def show(experiment: type[Experiment], lane: Lane, figures: Mapping[str, FigureSpec], epoch: int | None) -> None:
    """Buttons to take the lane's run along; each file is made when it is asked for."""
    st.subheader("Take it with you", anchor=False)
    st.caption(
        "The address in your browser is a link to these settings, seeds and runs: it opens the same view for anyone "
        "who reaches this server. The script needs Python and what its first lines name."
    )
    stem = f"goldviz-{experiment.name}-{lane.id.removeprefix('example:')}"
    changes = changes_by_step(lane.dataset)
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "Curves (CSV)",
            lambda: curves_csv(lane.dataset),
            file_name=f"{stem}.csv",
            mime="text/csv",
            key=f"csv-{lane.id}",
            icon=":material/table:",
            on_click="ignore",
            disabled=not lane.last_step,
        )
        st.download_button(
            "Report (HTML)",
            lambda: report_of_run(lane.settings, lane.dataset, figures),
            file_name=f"{stem}.html",
            mime="text/html",
            key=f"html-{lane.id}",
            icon=":material/description:",
            on_click="ignore",
            disabled=not lane.last_step,
        )
        st.download_button(
            "Python script",
            lambda: lane.settings.script(changes),
            file_name=f"{stem.replace('-', '_')}.py",
            mime="text/x-python",
            key=f"script-{lane.id}",
            icon=":material/code:",
            on_click="ignore",
        )
    arguments = " ".join(
        f"--{name.replace('_', '-')} {_argument(value)}" for name, value in lane.settings.differences().items()
    )
    st.code(f"goldviz run {experiment.name} {arguments} --output run.nc".replace("  ", " "), language="bash")


def _argument(value: object) -> str:
    return ",".join(str(item) for item in value) if isinstance(value, list | tuple) else str(value)
