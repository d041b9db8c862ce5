"""Documents as vectors, what changed between them, and what a market could know of them."""

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
import xarray as xr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goldviz.data.markets.alignment import aligned
from goldviz.data.markets.kept_markets import keep, load_market
from goldviz.data.markets.market import MarketError
from goldviz.data.markets.simulated import simulated_market
from goldviz.data.texts.dated_tables import TextColumns, texts_from_table
from goldviz.data.texts.dated_texts import DatedText, DatedTextError, DatedTexts
from goldviz.data.texts.kept_documents import documents_at_hand, keep_documents
from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.policy.generated_documents import generated_documents
from goldviz.labs.policy_documents import compute as procedure
from goldviz.labs.policy_documents.compute import compute, read_change
from goldviz.labs.policy_documents.document_map import principal_axes
from goldviz.labs.policy_documents.documents.vectors import encode, left_to_encode
from goldviz.labs.policy_documents.market import ChannelChoice, document_channels, market_with_documents
from goldviz.labs.policy_documents.settings import PolicyDocuments
from goldviz.labs.policy_documents.text_vector import chunks_of, encoded, pieces_of_its_own
from goldviz.models.text.loading import load_text_model
from goldviz.models.text.model import TextModel, TextModelError
from tests.data.markets.small_market import small_market
from tests.data.texts.test_dated_text_tables import REAL
from tests.labs.policy_documents.small_documents import small_model, some_documents
from tests.random_bert import write_random_bert
from tests.refusals import refused

LONG = " ".join(f"rates rose by {number % 7} percent , and gold prices fell ." for number in range(130))
EVERYTHING = ChannelChoice(("Note", "Statement"), components=2, fitted_before=date(2023, 3, 1))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> TextModel:
    return small_model(tmp_path_factory.mktemp("models") / "small")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: TextModel) -> Path:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))
    monkeypatch.setattr(procedure, "text_model", lambda name: model)
    documents_at_hand.cache_clear()
    return tmp_path


def test_a_short_text_is_pooled_as_by_hand(model: TextModel) -> None:
    text = "the committee decided to raise rates."
    [chunk] = chunks_of(model, text)
    with torch.inference_mode():
        hidden = model.encoder(torch.as_tensor(chunk.ids)[None])
        tone = model.classifier(hidden).softmax(-1)[0]
    found = encoded(model, text)
    np.testing.assert_allclose(found.cls, hidden[0, 0], atol=1e-6)
    np.testing.assert_allclose(found.mean, hidden[0, 1:-1].mean(0), atol=1e-6)
    np.testing.assert_allclose(found.tone, tone, atol=1e-6)
    assert (found.pieces, found.chunks) == (len(chunk) - 2, 1)


def test_every_piece_of_a_long_text_counts_once(model: TextModel) -> None:
    chunks = chunks_of(model, LONG)
    assert len(chunks) > 2
    counted: dict[tuple[int, int], float] = {}
    for chunk, weights in zip(chunks, pieces_of_its_own(chunks), strict=True):
        assert not weights[chunk.special].any()
        for place in np.flatnonzero(~chunk.special):
            span = (int(chunk.offsets[place, 0]), int(chunk.offsets[place, 1]))
            counted[span] = counted.get(span, 0) + float(weights[place])
    assert set(counted.values()) == {1.0}


def test_a_long_text_is_the_weighted_mean_of_its_chunks(model: TextModel) -> None:
    chunks = chunks_of(model, LONG)
    weights = pieces_of_its_own(chunks)
    with torch.inference_mode():
        hidden = [model.encoder(torch.as_tensor(chunk.ids)[None])[0].numpy() for chunk in chunks]
    total = sum(weight.sum() for weight in weights)
    mean = sum(weight @ states for weight, states in zip(weights, hidden, strict=True)) / total
    cls = sum(weight.sum() * states[0] for weight, states in zip(weights, hidden, strict=True)) / total
    found = encoded(model, LONG)
    np.testing.assert_allclose(found.mean, mean, atol=1e-5)
    np.testing.assert_allclose(found.cls, cls, atol=1e-5)
    assert found.pieces == len({tuple(span) for chunk in chunks for span in chunk.offsets[~chunk.special]})
    assert found.pieces < sum(len(chunk) for chunk in chunks)
    assert found.tone.sum() == pytest.approx(1, abs=1e-5)


def test_a_vector_does_not_depend_on_the_company(model: TextModel) -> None:
    documents = some_documents()
    together = encode(model, documents.texts)
    for text, vector in zip(documents.texts, together, strict=True):
        assert vector.mean.tobytes() == encoded(model, text.text).mean.tobytes()


def test_what_was_encoded_is_not_encoded_again(model: TextModel) -> None:
    documents = some_documents(6)
    assert len(left_to_encode(model, documents.texts)) == len({text.text for text in documents.texts})
    first = encode(model, documents.texts)
    assert left_to_encode(model, documents.texts) == []
    told: list[float] = []
    again = encode(model, documents.texts, lambda done, total: told.append(done))
    assert told == []
    assert all(one.cls.tobytes() == other.cls.tobytes() for one, other in zip(again, first, strict=True))


def test_progress_ends_at_the_total_and_a_stop_keeps_what_is_done(model: TextModel) -> None:
    class Stop(Exception):  # noqa: N818
        pass

    texts = some_documents(5).texts
    told: list[tuple[float, float]] = []
    encode(model, texts[:1], lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1]

    def stop_at_the_third(done: float, total: float) -> None:
        if done > total / 2:
            raise Stop

    with pytest.raises(Stop):
        encode(model, texts, stop_at_the_third)
    assert 0 < len(left_to_encode(model, texts)) < 4


@pytest.mark.parametrize("text", ["☃☃☃", "<script>alert(1)</script>", "שלום", "a", "x" * 5_000, "\ufffd \u200d 🙂"])
def test_strange_texts_become_finite_vectors(model: TextModel, text: str) -> None:
    found = encoded(model, text)
    assert np.isfinite(found.mean).all()
    assert np.isfinite(found.cls).all()


def test_a_text_of_blanks_is_refused(model: TextModel) -> None:
    with pytest.raises(TextError, match="empty"):
        encoded(model, " \n ")


def test_a_model_without_a_classifier_has_no_tone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = small_model(tmp_path / "plain", classifier=False)
    monkeypatch.setattr(procedure, "text_model", lambda name: plain)
    dataset = compute(_settings())
    assert dataset["balance"].isnull().all()
    assert dataset.sizes["label"] == 0
    assert read_change(_settings())["balance"].isnull().all()


def _settings(documents: DatedTexts | None = None, **changes: object) -> PolicyDocuments:
    return PolicyDocuments(documents=keep_documents(documents or some_documents()), **changes)


def test_states_that_are_not_finite_are_refused_and_not_kept(tmp_path: Path) -> None:
    broken = load_text_model(write_random_bert(tmp_path / "broken"))
    with torch.no_grad():
        broken.encoder.embeddings.norm.weight.fill_(torch.inf)
    with refused(TextModelError, "not_finite"):
        encoded(broken, "gold rose")


def test_change_is_from_the_one_before_of_its_kind() -> None:
    dataset = compute(_settings())
    assert dataset["previous"].values.tolist() == [-1, 0, 1, -1, 2, 4, 5, 6]
    vectors = dataset["vector"].values
    cosine = vectors[4] @ vectors[2] / np.linalg.norm(vectors[4]) / np.linalg.norm(vectors[2])
    assert dataset["change"].values[4] == pytest.approx(1 - cosine, abs=1e-9)
    assert dataset["released"].values[0] == np.datetime64("2023-01-04T19:00:00")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_documents_are_shown(count: int) -> None:
    dataset = compute(_settings(some_documents(count)))
    assert dataset.sizes["document"] == count
    assert dataset.sizes["neighbour"] == count - 1


def test_the_map_of_the_first_half_does_not_know_the_second() -> None:
    documents = some_documents()
    other = replace(documents.texts[-1], text="gold gold gold prices fell.")
    changed = replace(documents, texts=(*documents.texts[:-1], other))
    first, second = (compute(_settings(which))["coordinate"].values for which in (documents, changed))
    assert first[:-1].tobytes() == second[:-1].tobytes()
    assert not np.array_equal(first[-1], second[-1])
    whole, changed_whole = (
        compute(_settings(which, fitted_on="all"))["coordinate"].values for which in (documents, changed)
    )
    assert not np.array_equal(whole[0], changed_whole[0])


def test_axes_of_a_kind_know_no_other_kind() -> None:
    documents = some_documents()
    note = documents.texts[3]
    changed = replace(documents, texts=(*documents.texts[:3], replace(note, text="gold."), *documents.texts[4:]))
    first, second = (compute(_settings(which)) for which in (documents, changed))
    mine = first["kind"].values == "Statement"
    assert first["own_coordinate"].values[mine].tobytes() == second["own_coordinate"].values[mine].tobytes()
    assert first["own_fitted"].values.tolist() == [1, 1, 1, 1, 0, 0, 0, 0]
    vectors = first["vector"].values[mine]
    by_hand = principal_axes(vectors[:3], 2)
    np.testing.assert_array_equal(first["own_coordinate"].values[mine], by_hand.coordinates(vectors))
    assert np.isnan(first["own_share"].values[3]).all()


def test_a_change_put_back_alone_is_measured_against_the_document(model: TextModel) -> None:
    before = DatedText(
        date(2024, 1, 3), date(2024, 1, 3), "", "Rates rose. Inflation remains elevated. Risks are balanced."
    )
    after = replace(
        before,
        about=date(2024, 2, 3),
        released=date(2024, 2, 3),
        text="Rates fell. Inflation remains elevated. Risks are strong.",
    )
    dataset = read_change(_settings(DatedTexts((before, after), "by hand"), document=2))
    assert dataset.sizes["passage"] == 2
    own = encoded(model, after.text)
    back = encoded(model, "Rates rose. Inflation remains elevated. Risks are strong.")
    balance = (own.tone[2] - own.tone[0]) - (back.tone[2] - back.tone[0])
    assert dataset["balance"].values[0] == pytest.approx(balance, abs=1e-6)
    cosine = own.mean @ back.mean / np.linalg.norm(own.mean) / np.linalg.norm(back.mean)
    assert dataset["distance"].values[0] == pytest.approx(1 - cosine, abs=1e-6)
    assert read_change(_settings(DatedTexts((before, after), "by hand"), document=1)).sizes["passage"] == 0


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 9), st.data())
def test_later_documents_change_no_earlier_value(cut: int, data: st.DataObject) -> None:
    documents = some_documents(10)
    generator = np.random.default_rng(data.draw(st.integers(0, 99)))
    vectors = generator.standard_normal((10, 24))
    balance = generator.uniform(-1, 1, 10)
    fitted_before = documents.texts[4].released
    choice = replace(EVERYTHING, fitted_before=fitted_before)
    first = document_channels(documents, _numbers(vectors, balance), choice)
    start = max(cut, 4)
    vectors[start:] = generator.standard_normal((10 - start, 24)) * 50
    balance[start:] = -balance[start:]
    second = document_channels(documents, _numbers(vectors, balance), choice)
    last = documents.texts[start].released.isoformat()
    for one, other in zip(first, second, strict=True):
        assert one.values[:last][:-1].to_numpy().tobytes() == other.values[:last][:-1].to_numpy().tobytes()
    shorter = replace(documents, texts=documents.texts[: start + 1])
    third = document_channels(shorter, _numbers(vectors[: start + 1], balance[: start + 1]), choice)
    for one, other in zip(second, third, strict=True):
        assert one.values[:last].to_numpy().tobytes() == other.values.to_numpy().tobytes()


def _numbers(vectors: np.ndarray, balance: np.ndarray) -> xr.Dataset:
    return xr.Dataset({"vector": (("document", "dimension"), vectors), "balance": ("document", balance)})


def test_channels_are_known_from_the_hour_of_release() -> None:
    documents = some_documents()
    channels = document_channels(documents, compute(_settings(documents)), EVERYTHING)
    assert [channel.name for channel in channels] == ["text tone", "text change", "text pc1", "text pc2"]
    assert all(channel.transformation == "level" for channel in channels)
    tone = channels[0]
    assert tone.release.moments(pd.DatetimeIndex(tone.values.index))[0] == pd.Timestamp("2023-01-04 19:00Z")
    assert len(channels[1].values) == 6


def test_two_documents_of_a_day_give_the_last_or_the_mean() -> None:
    documents = some_documents(4, days=0)
    dataset = compute(_settings(documents))
    last, mean = (
        document_channels(documents, dataset, ChannelChoice(("Note", "Statement"), change=False, same_day=which))[0]
        for which in ("last", "mean")
    )
    assert last.values.tolist() == [dataset["balance"].values[-1]]
    assert mean.values.tolist() == [pytest.approx(dataset["balance"].values.mean())]


def test_a_row_sees_a_document_only_once_it_is_out() -> None:
    """Gold is fixed at noon UTC, so a statement of 14:00 in New York is in the next weekday's row."""
    documents = some_documents(5)
    market = replace(small_market(days=120))
    moved = replace(
        documents,
        texts=tuple(
            replace(text, about=text.about + timedelta(days=364), released=text.released + timedelta(days=364))
            for text in documents.texts
        ),
    )
    dataset = compute(_settings(moved))
    choice = ChannelChoice(("Statement",), change=False)
    panel = aligned(market_with_documents(market, moved, dataset, choice))
    column = panel.channels.index("text tone")
    rows = np.flatnonzero(np.isfinite(panel.values[:, column]))
    released = [text.released for text in moved.texts if text.kind == "Statement"]
    assert [panel.dates[row].date() - day for row, day in zip(rows, released, strict=True)] == [timedelta(days=1)] * 4
    assert np.isnan(panel.values[:, column]).sum() == len(panel.dates) - 4


def newest_generated() -> DatedTexts:
    """The last three years of the generated documents."""
    documents = generated_documents()
    return replace(documents, texts=documents.texts[-48:])


@pytest.mark.slow
def test_a_simulated_market_stays_simulated_and_generated_documents_are_called_so() -> None:
    documents = newest_generated()
    dataset = compute(_settings(documents))
    market = market_with_documents(
        simulated_market(0),
        documents,
        dataset,
        ChannelChoice(("Statement",), components=1, fitted_before=date(2023, 6, 1)),
    )
    found = load_market(keep(market))
    assert found.simulated
    assert found.source == "simulated"
    assert "simulated" in found.origin
    assert "Generated documents" in found.origin
    assert found.channel("text tone").words.endswith("(generated documents)")
    assert "14:00 New York" in found.notes["text tone"]
    again = market_with_documents(found, documents, dataset, ChannelChoice(("Statement",), change=False))
    assert sum(channel.name == "text tone" for channel in again.channels) == 1
    assert again.origin == found.origin


def test_real_documents_in_a_real_market_do_not_make_it_simulated() -> None:
    market = small_market()
    documents = replace(
        some_documents(),
        texts=tuple(replace(text, released=text.released + timedelta(days=371)) for text in some_documents().texts),
    )
    found = market_with_documents(market, documents, compute(_settings(documents)), EVERYTHING_LATER)
    assert not found.simulated
    assert "generated" not in found.channel("text tone").words


EVERYTHING_LATER = replace(EVERYTHING, fitted_before=date(2024, 3, 1))


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (replace(EVERYTHING, kinds=()), "No channel is chosen"),
        (ChannelChoice(("Note",), tone=False, change=False), "No channel is chosen"),
        (replace(EVERYTHING, fitted_before=date(2023, 1, 10)), "1 documents were released before"),
        (ChannelChoice(("Note",), tone=False), "has no value"),
    ],
)
def test_choices_that_give_no_channel_are_refused(choice: ChannelChoice, words: str) -> None:
    documents = some_documents()
    with pytest.raises((DatedTextError, MarketError), match=words):
        document_channels(documents, compute(_settings(documents)), choice)


def test_documents_of_another_time_are_refused() -> None:
    documents = some_documents()
    with pytest.raises(MarketError, match="becomes known between"):
        market_with_documents(small_market(), documents, compute(_settings(documents)), EVERYTHING)


@pytest.mark.slow
def test_a_forecast_with_decay_takes_text_channels() -> None:
    import goldviz.api

    documents = newest_generated()
    choice = ChannelChoice(("Statement", "Minutes"), components=1, fitted_before=date(2023, 6, 1))
    market = market_with_documents(simulated_market(0, years=4), documents, compute(_settings(documents)), choice)
    market = market.only(["gold", "text tone", "text change", "text pc1"])
    found = goldviz.api.run(
        "gold-forecast",
        progress=False,
        data=keep(market),
        network="gru_decay",
        scheme="rolling",
        train_years=1.5,
        test_years=0.5,
        refits=1,
        window=4,
        hidden=3,
        epochs=2,
        batch=64,
        look_every=2,
        dropout=0.0,
    )
    assert found.attrs["status"] == "finished"
    assert found.attrs["simulated"] == 1
    texts = ["text tone", "text change", "text pc1"]
    assert list(found["channel"].values) == ["gold", *texts, *(f"{name} age" for name in texts)]
    assert np.isfinite(found["mean"]).all()
    assert found["input_gradient"].sel(channel="text tone").max() > 0


def test_real_communications_go_through(model: TextModel) -> None:
    if not REAL.is_file():
        pytest.skip(f"{REAL} is not on this machine.")
    whole = texts_from_table(REAL.read_bytes(), "fomc.csv", TextColumns("Date", "Text", "Release Date", "Type"))
    statements = replace(whole, texts=tuple(text for text in whole.texts if text.kind == "Statement")[-6:])
    dataset = compute(_settings(statements))
    assert np.isfinite(dataset["vector"]).all()
    assert (dataset["change"].values[1:] > 0).all()
    effects = read_change(_settings(statements, document=6))
    assert effects.sizes["passage"] > 2
    assert effects.attrs["whole_distance"] == pytest.approx(dataset["change"].values[5], abs=1e-9)
