"""The page of all trials: what each remedy did, seed by seed, with filters."""

import pandas as pd

from goldviz.declare.registry import laboratories
from goldviz.diagnostics.findings.trial import OUTCOMES
from tests.pages.visit import Visitor

TRIALS = [trial for lab in laboratories().values() if (record := lab.tried) for trial in record.trials]


def lines(visitor: Visitor) -> pd.DataFrame:
    [frame] = visitor.at.dataframe
    return frame.value


def test_the_page_lists_all_trials_and_filters_them() -> None:
    visitor = Visitor("pages/advice.py")
    whole = lines(visitor)
    assert list(whole["Remedy"]) == [trial.remedy for trial in TRIALS]
    assert f"{sum(trial.helps for trial in TRIALS)} of {len(TRIALS)} remedies helped." in visitor.captions
    assert set(whole["Outcome"]) == {trial.outcome for trial in TRIALS} <= set(OUTCOMES)
    visitor.at.selectbox(key="advice-laboratory").set_value("ode-rnn")
    record = laboratories()["ode-rnn"].tried
    assert record is not None
    assert list(lines(visitor.look())["Set-up"]) == [trial.where for trial in record.trials]
    visitor.at.selectbox(key="advice-complaint").set_value("solver_too_coarse")
    visitor.at.session_state["advice-outcome"] = "helped"
    helpful = [trial for trial in record.trials if trial.kind == "solver_too_coarse" and trial.outcome == "helped"]
    assert list(lines(visitor.look())["Seeds helped"]) == [trial.counts for trial in helpful] != []


def test_a_switch_shows_the_losses_of_each_seed() -> None:
    visitor = Visitor("pages/advice.py")
    assert list(lines(visitor)["Loss before → after"]) == [trial.changes_of_loss() for trial in TRIALS]
    visitor.at.toggle(key="advice-by-seed").set_value(True)
    losses = lines(visitor.look())["Loss before → after"]
    for trial, said in zip(TRIALS, losses, strict=True):
        assert said.count("→") == sum(len(before) for before, _ in trial.loss.values())


def test_no_trial_of_an_outcome_says_so() -> None:
    visitor = Visitor("pages/advice.py")
    visitor.at.selectbox(key="advice-laboratory").set_value("ode-rnn")
    visitor.at.selectbox(key="advice-complaint").set_value("tone_not_learned")
    assert "No remedy is like that." in visitor.look().captions
    assert not visitor.at.dataframe
