import pytest
import torch

from goldviz.training import seeds


def test_a_stream_repeats_and_differs_from_every_other():
    named = [seeds.DATA, seeds.TEST_DATA, seeds.BATCH_ORDER, seeds.DROPOUT_AND_NOISE, seeds.READ_OUT_WEIGHTS]
    indices = named + [seeds.WEIGHTS + layer for layer in range(101)]
    assert len(set(indices)) == len(indices)
    draws = {tuple(torch.rand(4, generator=seeds.stream(seed, index)).tolist()) for seed in (0, 1) for index in indices}
    assert len(draws) == 2 * len(indices)
    assert torch.equal(
        torch.rand(4, generator=seeds.stream(5, 3)), torch.rand(4, generator=torch.Generator().manual_seed(5003))
    )


@pytest.mark.parametrize("index", [-1, 1000])
def test_an_index_never_reaches_the_next_seed(index):
    with pytest.raises(ValueError, match=f"Stream index is {index}; allowed is a whole number from 0 to 999."):
        seeds.stream(0, index)
