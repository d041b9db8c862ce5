"""A run's kept states have a bound, old ones are thinned, and a file that is mostly empty becomes small again."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.execution.worker import execute
from goldviz.runs.store.checkpoints import CheckpointsError, room_of_run, surplus
from goldviz.runs.store.run import Size
from goldviz.runs.store.run_store import LEAST_GIVEN_BACK, Store
from tests.runs.toy import Toy


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("GOLDVIZ_KEPT_STATES_OF_RUN_MB", "2")
    return Store(f"sqlite:///{tmp_path / 'runs.sqlite'}")


def trained(store: Store, **settings: int) -> str:
    toy = Toy.checked(settings)
    run_id = store.create(toy)
    assert execute(toy, run_id, store.url) == "finished"
    return run_id


@given(st.integers(1, 60), st.integers(1, 2000), st.integers(1, 20))
def test_what_stays_fits_and_is_evenly_spread(total: int, size: int, fit: int) -> None:
    kept: dict[int, int] = {}
    for step in range(total + 1):
        kept[step] = size
        for gone in surplus(kept, total, fit * size):
            del kept[gone]
        assert max(kept) == step, "the latest stays"
        assert len(kept) <= fit
    gaps = np.diff([0, *sorted(kept)])
    assert gaps.max() <= np.ceil(total / fit) + 1


def test_the_states_of_a_run_take_no_more_room_than_is_allowed(store: Store) -> None:
    run_id = trained(store, epochs=20, size=50_000)
    assert 0 < store.sizes([run_id])[run_id].checkpoints <= 2_000_000
    assert list(store.checkpoint_steps(run_id)) == [10, 20]


def test_a_single_larger_state_stays(store: Store) -> None:
    assert list(store.checkpoint_steps(trained(store, epochs=6, size=200_000))) == [6]


def test_small_states_all_stay(store: Store) -> None:
    run_id = trained(store, epochs=20)
    assert list(store.checkpoint_steps(run_id)) == list(range(21))
    assert store.sizes([run_id, "none"])["none"] == Size(0, 0)


def test_where_all_take_too_much_the_oldest_run_keeps_fewer_and_then_none(store: Store) -> None:
    old, new = (trained(store, epochs=20, size=10_000) for _ in range(2))
    per_state = store.sizes([new])[new].checkpoints // len(store.checkpoint_steps(new))
    everything = store.size_of_checkpoints()
    kept = list(store.checkpoint_steps(new))
    store.forget_old_checkpoints(everything - per_state)
    assert 0 < len(store.checkpoint_steps(old)) < len(kept)
    assert list(store.checkpoint_steps(new)) == kept
    store.forget_old_checkpoints(3 * per_state // 2)
    assert [list(store.checkpoint_steps(run_id)) for run_id in (old, new)] == [[], [20]]
    store.forget_old_checkpoints(0)
    assert store.size_of_checkpoints() == 0


def test_the_flagship_at_thirty_layers_can_go_back_to_ten_states(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOLDVIZ_KEPT_STATES_OF_RUN_MB")
    settings = DepthGradients(depth=30, samples=64)
    run_id = store.create(settings)
    assert execute(settings, run_id, store.url) == "finished"
    assert len(store.checkpoint_steps(run_id)) >= 10
    assert store.size_of_checkpoints() <= room_of_run()


def test_runs_of_before_are_thinned_and_their_file_becomes_small(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as roomy:
        roomy.setenv("GOLDVIZ_KEPT_STATES_OF_RUN_MB", "100")
        ids = [trained(store, epochs=40, size=50_000) for _ in range(3)]
    file = tmp_path / "runs.sqlite"
    assert file.stat().st_size > LEAST_GIVEN_BACK
    store.thin_checkpoints()
    assert all(list(store.checkpoint_steps(run_id)) == [20, 40] for run_id in ids)
    waiting = store.create(Toy())
    store.give_back_room()
    assert file.stat().st_size > LEAST_GIVEN_BACK, "not while a run waits or trains"
    store.set_status(waiting, "stopped")
    store.give_back_room()
    assert file.stat().st_size < 8 * 2**20
    assert store.load(ids[0]).sizes["epoch"] == 40


def test_the_room_of_a_run_is_a_whole_number_of_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert room_of_run() == 20_000_000
    monkeypatch.setenv("GOLDVIZ_KEPT_STATES_OF_RUN_MB", "little")
    with pytest.raises(CheckpointsError, match="GOLDVIZ_KEPT_STATES_OF_RUN_MB is 'little'; allowed is a whole number"):
        room_of_run()
