"""*Policy documents* and its channels, computed once more by transformers, scikit-learn, scipy and statsmodels."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import torch
import xarray as xr
from scipy.spatial.distance import cosine
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from goldviz.data.markets.kept_markets import keep, load_market
from goldviz.data.texts.dated_texts import DatedTexts
from goldviz.data.texts.kept_documents import keep_documents
from goldviz.data.texts.policy.generated_documents import generated_documents
from goldviz.labs.gold_forecast.problem import forecast_problem, market_with_statements
from goldviz.labs.gold_forecast.settings import GoldForecast
from goldviz.labs.policy_documents.compute import compute, read_change
from goldviz.labs.policy_documents.market import ChannelChoice, document_channels, market_with_documents
from goldviz.labs.policy_documents.settings import PolicyDocuments
from goldviz.models.text.loading import SHIPPED_FOLDER

DRAWN, FIRST, COUNT = 5, 151, 24
"""Documents of another seed than the page's."""
IN_VIEW = 20
MARKETS = range(11, 16)
NEW_YORK = ZoneInfo("America/New_York")


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        made = tmp_path_factory.mktemp("data")
        patch.setenv("GOLDVIZ_DATA", str(made))
        yield made


@pytest.fixture(scope="module")
def documents(folder: Path) -> DatedTexts:
    drawn = generated_documents(DRAWN)
    return replace(drawn, texts=drawn.texts[FIRST : FIRST + COUNT])


@pytest.fixture(scope="module")
def settings(documents: DatedTexts) -> PolicyDocuments:
    return PolicyDocuments(documents=keep_documents(documents), neighbours=4, document=IN_VIEW)


@pytest.fixture(scope="module")
def shown(settings: PolicyDocuments) -> xr.Dataset:
    return compute(settings)


@pytest.fixture(scope="module")
def read(documents: DatedTexts) -> tuple[np.ndarray, ...]:
    """What transformers makes of each text: mean over pieces, first piece, probabilities of tones."""
    tokeniser = AutoTokenizer.from_pretrained(SHIPPED_FOLDER)
    model = AutoModelForSequenceClassification.from_pretrained(SHIPPED_FOLDER).eval()
    found = []
    for text in documents.texts:
        pieces = tokeniser(text.text, return_tensors="pt")
        with torch.inference_mode():
            said = model(**pieces, output_hidden_states=True)
        last = said.hidden_states[-1][0]
        found.append((last[1:-1].mean(0).numpy(), last[0].numpy(), said.logits[0].softmax(-1).numpy()))
    return tuple(np.stack(part).astype(np.float64) for part in zip(*found, strict=True))


def test_vectors_and_tones_are_those_of_transformers(
    shown: xr.Dataset, settings: PolicyDocuments, read: tuple[np.ndarray, ...]
) -> None:
    mean, first, tones = read
    assert (shown["chunks"] == 1).all()
    np.testing.assert_allclose(shown["vector"], mean, atol=2e-5)
    np.testing.assert_allclose(compute(settings.changed(pooling="cls"))["vector"], first, atol=2e-5)
    np.testing.assert_allclose(shown["tone"], tones, atol=2e-5)
    names = [str(label).lower() for label in shown["label"].values]
    np.testing.assert_allclose(
        shown["balance"], tones[:, names.index("positive")] - tones[:, names.index("negative")], atol=4e-5
    )


def test_change_is_the_angle_to_the_one_before_of_the_same_kind(
    shown: xr.Dataset, read: tuple[np.ndarray, ...]
) -> None:
    vectors = pd.DataFrame({"vector": list(read[0]), "kind": shown["kind"].values})
    before = vectors.groupby("kind")["vector"].shift(1)
    for change, here, there in zip(shown["change"].values, vectors["vector"], before, strict=True):
        if isinstance(there, np.ndarray):
            assert change == pytest.approx(cosine(here, there), abs=2e-6)
        else:
            assert np.isnan(change)


def test_the_nearest_are_those_of_scikit_learn(shown: xr.Dataset, read: tuple[np.ndarray, ...]) -> None:
    distances, _ = NearestNeighbors(n_neighbors=5, metric="cosine").fit(read[0]).kneighbors(read[0])
    np.testing.assert_allclose(shown["cosine"], 1 - distances[:, 1:], atol=2e-5)


def test_the_map_is_scikit_learn_s_of_the_first_half_of_a_kind(shown: xr.Dataset, read: tuple[np.ndarray, ...]) -> None:
    for kind in ("Statement", "Minutes"):
        mine = np.flatnonzero(shown["kind"].values == kind)
        early = mine[: len(mine) // 2]
        fitted = PCA().fit(read[0][early])
        places = fitted.transform(read[0][mine])[:, :2]
        found = shown["own_coordinate"].values[mine]
        np.testing.assert_allclose(np.abs(found), np.abs(places), atol=2e-3)
        np.testing.assert_allclose(shown["own_share"].values[mine[0]], fitted.explained_variance_ratio_[:2], atol=1e-4)
        assert shown["own_fitted"].values[mine].sum() == len(early)


def test_a_document_is_out_at_two_in_new_york(shown: xr.Dataset, documents: DatedTexts) -> None:
    for moment, text in zip(shown["released"].values, documents.texts, strict=True):
        local = pd.Timestamp(moment, tz="UTC").tz_convert(NEW_YORK)
        assert (local.date(), local.hour, local.minute) == (text.released, 14, 0)


def test_all_changes_together_are_the_way_to_the_document_before(
    shown: xr.Dataset, settings: PolicyDocuments, read: tuple[np.ndarray, ...]
) -> None:
    here = IN_VIEW - 1
    there = int(shown["previous"].values[here])
    effects = read_change(settings)
    assert effects.attrs["whole_distance"] == pytest.approx(cosine(read[0][here], read[0][there]), abs=2e-6)
    balance = shown["balance"].values
    assert effects.attrs["whole_balance"] == pytest.approx(balance[here] - balance[there], abs=1e-6)


def test_a_forecast_sees_the_last_statement_that_was_out_and_its_age(
    shown: xr.Dataset, documents: DatedTexts, folder: Path
) -> None:
    market = market_with_documents(
        load_market("simulated", 17), documents, shown, ChannelChoice(("Statement",), change=False)
    )
    problem = forecast_problem(GoldForecast(data=keep(market), test_years=2.0))
    made = pd.DataFrame({"made": problem.panel.moments, "day": problem.panel.dates})
    statements = pd.DataFrame({"tone": shown["balance"].values, "out": shown["released"].values})
    statements = statements[shown["kind"].values == "Statement"]
    statements["out"] = pd.DatetimeIndex(statements["out"]).tz_localize("UTC").astype(made["made"].dtype)
    known = pd.merge_asof(made, statements, left_on="made", right_on="out")
    column = problem.panel.channels.index("text tone")
    np.testing.assert_allclose(problem.inputs[:, column], known["tone"], atol=1e-9)
    rows = made.rename(columns={"made": "at", "day": "heard"})
    heard = pd.merge_asof(statements, rows, left_on="out", right_on="at", direction="forward")["heard"]
    first_row = known["out"].map(dict(zip(statements["out"], heard, strict=True)))
    age = (known["day"] - first_row).dt.days
    np.testing.assert_allclose(problem.inputs[:, problem.panel.channels.index("text tone age")], age, atol=1e-9)


def slope(**changes: Any) -> tuple[float, float]:
    """Of the next return on the tone that is known, standardised; and its standard error by Newey and West."""
    problem = forecast_problem(GoldForecast(**changes))
    tone = problem.inputs[problem.answers.rows, problem.panel.channels.index("text tone")]
    there = np.isfinite(tone)
    standard = (tone[there] - tone[there].mean()) / tone[there].std()
    fit = sm.OLS(problem.answers.values[there], sm.add_constant(standard)).fit(cov_type="HAC", cov_kwds={"maxlags": 20})
    return float(fit.params[1]), float(fit.bse[1])


@pytest.mark.parametrize("market_seed", MARKETS)
def test_least_squares_finds_the_planted_response_and_none_without_it(market_seed: int) -> None:
    planted = 0.3 * 0.011
    found, error = slope(market_seed=market_seed, documents="generated", tone_response=0.3)
    assert found == pytest.approx(planted, abs=3 * error)
    assert found > 3 * error
    # Tones last for weeks and are few, so chance alone reaches three standard errors now and then.
    for silent in ({"documents": "generated"}, {"documents": "shuffled", "tone_response": 0.3}):
        assert abs(slope(market_seed=market_seed, **silent)[0]) < planted / 2


def test_the_control_s_tones_are_those_that_the_page_shows() -> None:
    """The forecast's table of tones, against the channel that the page makes of the generated statements."""
    documents = generated_documents()
    channel = document_channels(documents, compute(PolicyDocuments()), ChannelChoice(("Statement",), change=False))[0]
    kept = market_with_statements(GoldForecast(documents="generated")).channel("text tone")
    pd.testing.assert_series_equal(kept.values, channel.values, check_names=False, check_freq=False, atol=1e-4, rtol=0)
    assert kept.release == channel.release
