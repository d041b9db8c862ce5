"""The Transformer over rows: k = 1 is the usual one, nothing sees ahead, and reading on is reading whole."""

import pytest
import torch
from torch.nn.functional import linear, scaled_dot_product_attention

from goldviz.labs.series_attention.networks import SeriesGRU, SeriesODERNN, SeriesTransformer
from goldviz.labs.series_attention.outputs import OUTPUTS
from goldviz.labs.series_attention.rolling import reading_again, rolled
from goldviz.models.series.attention import ATTENTIONS, AttentionOptions
from goldviz.models.series.positions import POSITIONS
from goldviz.models.series.row_transformer import RowShape, initialise_rows

ROWS = 20


def network(**parts) -> SeriesTransformer:
    shape = RowShape(2, ROWS, **{"width": 8, "options": AttentionOptions(factor=1.5), **parts})
    made = SeriesTransformer(shape, 2).double()
    initialise_rows(made, lambda index: torch.Generator().manual_seed(index))
    with torch.no_grad():
        for block in made.stack():
            for kernel in (block.attention.query, block.attention.key):
                kernel.normal_(0, 0.3, generator=torch.Generator().manual_seed(7))
    return made


@pytest.fixture
def series() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(3, ROWS, 2, generator=generator, dtype=torch.float64)
    return rows, torch.rand(3, ROWS, generator=generator, dtype=torch.float64).cumsum(1)


def test_with_k_1_it_is_the_usual_attention(series) -> None:
    attention = network().stack()[0].attention
    x = torch.randn(3, ROWS, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    heads = [linear(x, weight) for weight in (attention.query[0].T, attention.key[0].T)] + [attention.value(x)]
    q, k, v = (part.view(3, ROWS, 2, 4).transpose(1, 2) for part in heads)
    usual = attention.output(scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
    torch.testing.assert_close(attention(x, torch.arange(ROWS).double()), usual, rtol=0, atol=1e-12)


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("attention", ATTENTIONS)
def test_no_row_sees_a_later_one(attention, positions, series) -> None:
    rows, times = series
    made = network(attention=attention, positions=positions, kernel=3)
    changed = rows.clone()
    changed[:, 13:] += 5
    with torch.no_grad():
        before, after = made(rows, times), made(changed, times)
    torch.testing.assert_close(after[:, :13], before[:, :13], rtol=0, atol=1e-12)
    assert bool((after[:, 13:] != before[:, 13:]).any())


@pytest.mark.parametrize("block", ["pre", "post", "bare"])
@pytest.mark.parametrize(
    "parts",
    [
        *({"positions": positions} for positions in POSITIONS),
        {"attention": "log_sparse"},
        {"attention": "log_sparse", "options": AttentionOptions(window=3, restart=6)},
        {"attention": "prob_sparse", "options": AttentionOptions(factor=6.0)},
    ],
)
def test_reading_on_is_reading_whole(parts, block, series) -> None:
    rows, times = series
    made = network(**parts, block=block, kernel=5)
    reader, again = made.reader(), reading_again(made)
    with torch.no_grad():
        for part in (slice(9), slice(9, 10), slice(10, 14), slice(14, ROWS)):
            on, whole = reader(rows[:, part], times[:, part]), again(rows[:, part], times[:, part])
            torch.testing.assert_close(on, whole, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "made", [SeriesGRU(2, 4, 2), SeriesODERNN(4, 2, 1.5, lambda index: torch.Generator().manual_seed(index))]
)
def test_recurrent_networks_read_on_alike(made, series) -> None:
    rows, times = series
    reader = made.double().reader()
    with torch.no_grad():
        torch.testing.assert_close(reader(rows[:, :9], times[:, :9]), made(rows, times)[:, 8], rtol=0, atol=1e-12)
        torch.testing.assert_close(reader(rows[:, 9:], times[:, 9:]), made(rows, times)[:, -1], rtol=0, atol=1e-12)


def test_an_ode_rnn_reads_values_and_the_times_between_them(series) -> None:
    rows, times = series
    made = SeriesODERNN(4, 2, 1.0, lambda index: torch.Generator().manual_seed(index)).double()
    later = times.clone()
    later[:, 12:] += 1.0
    with torch.no_grad():
        before, moved = made(rows, times), made(rows, later)
        torch.testing.assert_close(moved[:, :12], before[:, :12], rtol=0, atol=1e-12)
        assert bool((moved[:, 12:] != before[:, 12:]).all())
        # Only gaps count, and a covariate is not read.
        other = rows.clone()
        other[..., 1] += 1
        torch.testing.assert_close(made(other, times + 7), before, rtol=0, atol=1e-9)


def test_a_rolled_forecast_reads_its_own_answers(series) -> None:
    rows, times = series
    made, output = network(attention="log_sparse", kernel=3), OUTPUTS["normal"]
    answers = rolled(made, output, rows, times, 17)
    own = rows.clone()
    own[:, 18:, 0] = answers[:, :-1]
    with torch.no_grad():
        expected = output.median(made(own, times)[:, 17:])
    torch.testing.assert_close(answers, expected, rtol=0, atol=1e-12)
    unread = rows.clone()
    unread[:, 18:, 0] = 99.0
    torch.testing.assert_close(rolled(made, output, unread, times, 17), answers, rtol=0, atol=0)


def test_a_longer_kernel_begins_as_the_usual_transformer() -> None:
    short, long = (SeriesTransformer(RowShape(2, ROWS, kernel=kernel), 2) for kernel in (1, 9))
    for made in (short, long):
        initialise_rows(made, lambda index: torch.Generator().manual_seed(index))
    rows, times = torch.randn(2, ROWS, 2), torch.zeros(2, ROWS)
    torch.testing.assert_close(short(rows, times), long(rows, times))


@pytest.mark.parametrize("context", [0, ROWS])
def test_a_context_that_leaves_nothing_to_forecast_is_refused(context, series) -> None:
    with pytest.raises(ValueError, match=f"context is {context} rows; allowed are 1 to 19"):
        rolled(network(), OUTPUTS["normal"], *series, context)


def test_heads_share_the_width() -> None:
    with pytest.raises(ValueError, match="Width is 9; allowed is a multiple of the 2 heads"):
        RowShape(1, 4, width=9)
