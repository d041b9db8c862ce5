"""The dialog in which a visitor chooses a model of texts: the shipped one, downloads, local folders, trained runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from goldviz.data.hub.faults import HubError
from goldviz.data.hub.models import SUGGESTED, HubListing, download, held, look_up, valid_repo
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.models.text.loading import SHIPPED_NAME
from goldviz.models.text.places import kept_folders, model_folder
from goldviz.plurals import how_many
from goldviz.runs.jobs.jobs import Report, Task, TooManyJobsError
from goldviz.runs.store.schema import StoreError
from goldviz.ui.panels import background
from goldviz.ui.runs.table import label_of
from goldviz.ui.serving import services
from goldviz.ui.words import plain

Use = Callable[[str], None]
"""Takes a model's name."""

DOWNLOAD = "text-model-download"
"""In the session state: the hub's model that this visitor is downloading."""
KNOWN = "text-models-of-this-session"
"""In the session state: models of the hub that this visitor has asked for by name, so that they are listed."""
LISTED_RUNS = 50
DOWNLOAD_SECONDS = 60.0


@st.dialog("Choose a model", width="large")
def ask(use: Use, *, optional: bool = False, suggests: str = "") -> None:
    """Show what there is; ``use`` is told the chosen name, or '' for none where that is ``optional``. It opens on a
    hub's model that the page ``suggests``."""
    places = ["On this machine", "From a hub"]
    here, hub = st.tabs(places, default=places[bool(suggests)])
    with here:
        _here(use, optional)
    with hub:
        _hub(use, suggests)


def _here(use: Use, optional: bool) -> None:
    names = {"": "The same model"} if optional else {}
    names |= {"shipped": f"{SHIPPED_NAME}, which comes with goldviz"}
    names |= {repo: f"{repo}, downloaded" for repo, _ in SUGGESTED if held(repo) is not None}
    names |= {repo: f"{repo}, downloaded" for repo in _asked_for() if repo not in names and held(repo) is not None}
    names |= {f"folder:{name}": f"Folder {name}" for name in kept_folders()}
    names |= _runs()
    model = st.radio("Models", list(names), format_func=lambda name: plain(names[name]), key="text-model-here")
    if st.button("Use this model", type="primary", key="use-text-model") and model is not None:
        use(model)
        st.rerun()
    st.caption(
        f"Folders of models are looked for in {plain(str(model_folder()))}; set GOLDVIZ_MODELS to look elsewhere. Runs "
        f"of {' and '.join(lab.declared.title for lab in _trainers())} appear here once they have ended or paused."
    )


def _asked_for() -> list[str]:
    names: list[str] = st.session_state.setdefault(KNOWN, [])
    return names


def _trainers() -> list[Laboratory]:
    """The laboratories whose runs are models of texts."""
    return [lab for lab in laboratories().values() if lab.text_models]


def _runs() -> dict[str, str]:
    """The kept runs that trained a model of texts and hold its weights, newest first."""
    try:
        return {
            f"run:{run.id}": f"Run {label_of(run)}"
            for lab in _trainers()
            for run in services.store().list(experiment=lab.name, limit=LISTED_RUNS)[0]
            if run.status in ("finished", "paused", "stopped") and services.store().checkpoint_steps(run.id)
        }
    except StoreError:
        return {}


def _hub(use: Use, suggests: str = "") -> None:
    st.caption(
        "A model is downloaded once, into the hub's own folder on this machine, and works without a network from then "
        "on. No code of it is run. Its licence is the one that its page states."
    )
    suggestions = dict(SUGGESTED)
    if suggests:
        st.session_state.setdefault("hub-model", suggests)
    choice = st.selectbox("Models that fit the documents", list(suggestions), index=None, key="hub-model")
    text = st.text_input("Or any other BERT of the hub", key="hub-model-typed", placeholder="owner/name", max_chars=120)
    if not (text.strip() or choice):
        return
    try:
        repo = valid_repo(text if text.strip() else str(choice))
    except HubError as error:
        st.error(plain(str(error)), icon=":material/block:")
        return
    if repo in suggestions:
        st.markdown(plain(suggestions[repo]))
    if held(repo) is not None:
        st.markdown(f":material/check: {plain(repo)} is on this machine.")
        if st.button("Use this model", type="primary", key="use-hub-model"):
            _remember(repo)
            use(repo)
            st.rerun()
        return
    listing = _listing(repo)
    if listing is None:
        return
    count = how_many(len(listing.files), "file")
    st.markdown(f"**{plain(repo)}**: {count}, {megabytes(listing.total_bytes)}.")
    for note in listing.notes:
        st.caption(f":material/info: {plain(note)}")
    if st.button(
        f"Download {megabytes(listing.total_bytes)}", type="primary", icon=":material/download:", key="download-model"
    ):
        _start(repo, listing.revision)
        st.rerun()


def _listing(repo: str) -> HubListing | None:
    """What the hub has under this name, asked for by a button; the answer is kept for this visitor."""
    key = f"hub-listing-{repo}"
    if key not in st.session_state:
        if not st.button(
            "Look it up", icon=":material/search:", key="look-up-model", help="Asks the hub for the size."
        ):
            return None
        with st.spinner("Asking the hub"):
            try:
                st.session_state[key] = look_up(repo)
            except HubError as error:
                st.error(plain(str(error)), icon=":material/cloud_off:")
                return None
    listing: HubListing = st.session_state[key]
    return listing


def _remember(repo: str) -> None:
    if repo not in _asked_for():
        _asked_for().append(repo)


def _start(repo: str, revision: str | None = None) -> None:
    """Begin the download as a job, of the very commit that was looked up; who asks for the same watches the same."""
    _remember(repo)
    st.session_state[DOWNLOAD] = repo
    try:
        background.start(Task(_job(repo), fetch, (repo, revision), f"Downloading {repo}", DOWNLOAD_SECONDS, "download"))
    except TooManyJobsError as error:
        st.error(plain(str(error)))


def fetch(report: Report, repo: str, revision: str | None) -> Path:
    """Download a model of the hub."""
    return download(repo, report, revision=revision)


def _job(repo: str) -> str:
    return f"download-{repo}"


def show_download(use: Use) -> None:
    """The visitor's download, if there is one: progress with a stop, then a way to use what came. Not in a fragment."""
    repo = st.session_state.get(DOWNLOAD)
    if repo is None:
        return
    job = background.job(_job(repo))
    if job is not None and job.state == "done":
        background.forget(_job(repo))
    if held(repo) is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/check: {plain(repo)} is on this machine now.", width="stretch")
            st.button("Use it", key="use-downloaded", type="primary", on_click=_use_and_forget, args=(use, repo))
        return
    if background.show(_job(repo)) is None:
        del st.session_state[DOWNLOAD]
        return
    if job is not None and not job.unfinished:
        st.caption("What has come so far is kept; downloading again goes on from there.")
        st.button("Download again", key="download-again", on_click=_start, args=(repo,), icon=":material/download:")


def _use_and_forget(use: Use, repo: str) -> None:
    del st.session_state[DOWNLOAD]
    use(repo)


def megabytes(count: int) -> str:
    """Bytes as people read them.

    >>> megabytes(441_551_705), megabytes(226_000)
    ('442 MB', '0.2 MB')
    """
    return f"{count / 1e6:,.0f} MB" if count >= 10e6 else f"{count / 1e6:.1f} MB"
