"""What a visitor has brought: a market, a text, labelled texts and a model of texts, for all pages until another.

A link, an upload, a download or a choice on one page sets it for all. Pages mirror it in the settings that are declared
with a ``control`` for it; a preset, an example or another page never changes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from goldviz.data.labels import label_of
from goldviz.data.markets.kept_markets import SIMULATED
from goldviz.data.tables.sealed_names import KEY, NAME_OF_FILE, SEALED
from goldviz.data.texts.kept_texts import load_text
from goldviz.data.texts.pieces import TextError
from goldviz.declare.data_labels import names_data
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Settings, facts
from goldviz.declare.text_models import CONTROL as TEXT_MODEL
from goldviz.declare.text_models import SHIPPED
from goldviz.ui import keys
from goldviz.ui.panels import controls
from goldviz.ui.panels.controls import key_of

MARKET, SEED = "market", "market seed"
TEXT = "text"
TEXTS = (TEXT, "corpus")
"""The controls of settings that name a text to learn from."""
LABELLED = "labelled texts"
DOCUMENTS = "documents"
SERIES = "series"
"""Documents and series are chosen on their own pages, whose settings name them."""
STORE = "visitors-data"


def market() -> tuple[str, int]:
    """The name of the visitor's market, and the seed that a simulated one has."""
    choice: tuple[str, int] = _store().get(MARKET, (SIMULATED, 0))
    return choice


def bring_market(name: str, seed: int = 0) -> None:
    """Use this market on every page."""
    _store()[MARKET] = (name, seed)
    keys.remember([name])


def text() -> str:
    """The key of the text that the visitor has brought; empty where pages read texts of their own."""
    return str(_store().get(TEXT, ""))


def bring_text(name: str) -> None:
    """Read this text on every page that learns from one; for one of a page's own texts, each page reads its own."""
    _store()[TEXT] = name if KEY.fullmatch(name) else ""
    keys.remember([name])


def labelled() -> str:
    """The key of the labelled texts that the visitor has brought; empty where pages learn from their own."""
    return str(_store().get(LABELLED, ""))


def bring_labelled(name: str) -> None:
    """Learn from these labelled texts on every page that classifies; the name of a page's own brings these back."""
    _store()[LABELLED] = name if KEY.fullmatch(name) else ""
    keys.remember([name])


def text_model() -> str:
    """The name of the visitor's model of texts."""
    return str(_store().get(TEXT_MODEL, SHIPPED))


def bring_text_model(name: str) -> None:
    """Read with this model on every page."""
    _store()[TEXT_MODEL] = name


def follow_link(settings_class: type[Settings], parameters: Mapping[str, str], *, back: bool = False) -> list[str]:
    """Take settings and data out of a link; returns a sentence for everything that could not be taken.

    Data that a link leaves out stay the visitor's. Who comes ``back`` has them as they were, which was the default.
    """
    settings, complaints = controls.from_link(settings_class, parameters)
    controls.put_link(settings_class, settings, parameters, back=back)
    bring_named(settings_class, settings, None if back else parameters)
    return complaints


def bring_named(
    settings_class: type[Settings], settings: Settings, parameters: Mapping[str, str] | None = None
) -> None:
    """Take over the data that settings name: all of them, or those that a link's ``parameters`` say themselves.

    Others' files, which settings name by sealed names, leave the visitor's data as they are.
    """

    def named(control: str) -> Any:
        name = setting_of(settings_class, control)
        if name is None:
            return None
        value = getattr(settings, name)
        if SEALED.fullmatch(str(value)):
            return None
        return value if parameters is None or parameters.get(name) == str(value) else None

    name, seed = named(MARKET), named(SEED)
    # A link that names a seed alone means the simulated market; settings whose market is sealed mean nobody's here.
    if name is not None or (parameters is not None and seed is not None):
        bring_market(name or SIMULATED, seed or 0)
    for control in TEXTS:
        if (read := named(control)) is not None:
            bring_text(read)
    if (labels := named(LABELLED)) is not None:
        bring_labelled(labels)
    if (model := named(TEXT_MODEL)) is not None:
        bring_text_model(model)


def setting_of(settings_class: type[Settings], control: str) -> str | None:
    """The setting that the visitor's data of this kind belong in, if there is one."""
    for name in settings_class.model_fields:
        if facts(settings_class, name)["control"] == control and _is_for_data(settings_class, name):
            return name
    return None


def _is_for_data(settings_class: type[Settings], name: str) -> bool:
    """A text that is typed in names no data, and neither does a second model, which stands beside the visitor's."""
    control = facts(settings_class, name)["control"]
    if control in TEXTS:
        return names_data(settings_class, name)
    return bool(control != TEXT_MODEL or settings_class.model_fields[name].default == SHIPPED)


def take(settings_class: type[Settings]) -> None:
    """Make a page's settings name the visitor's data, before they are drawn."""
    for control, value in zip((MARKET, SEED), market(), strict=True):
        _put(settings_class, control, value)
    if TEXT_MODEL in _store():
        _put(settings_class, TEXT_MODEL, text_model())
    for control in TEXTS:
        name = setting_of(settings_class, control)
        if name is not None:
            _take_text(settings_class, name, "" if refusal(settings_class) else text())
    if (name := setting_of(settings_class, LABELLED)) is not None:
        _take_text(settings_class, name, labelled())


def _put(settings_class: type[Settings], control: str, value: Any) -> None:
    name = setting_of(settings_class, control)
    if name is not None:
        st.session_state[key_of(settings_class, name)] = value


def _take_text(settings_class: type[Settings], name: str, brought: str) -> None:
    key = key_of(settings_class, name)
    if brought:
        st.session_state[key] = brought
    elif NAME_OF_FILE.fullmatch(str(st.session_state.get(key, ""))):
        st.session_state[key] = settings_class.model_fields[name].default


def refusal(settings_class: type[Settings]) -> str:
    """Why a laboratory cannot learn from the text that the visitor has brought; empty where it can, or is to say it."""
    lab = laboratory_of(settings_class)
    if not text() or not lab.has("corpora"):
        return ""
    try:
        return _refused(lab.name, text(), load_text(text()))
    except TextError:
        return ""


@st.cache_data(max_entries=50, show_spinner=False)
def _refused(name: str, key: str, _content: str) -> str:
    try:
        laboratories()[name].part("corpora").of_a_file(_content.encode(), label_of(TEXT, key))
    except TextError as error:
        return str(error)
    return ""


def _store() -> dict[str, Any]:
    store: dict[str, Any] = st.session_state.setdefault(STORE, {})
    return store
