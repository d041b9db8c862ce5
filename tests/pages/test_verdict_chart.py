"""The chart of verdicts counts what the list below it holds."""

from goldviz.declare.claims import claims
from goldviz.ui.pages import claims as verdict_chart


def test_every_claim_is_counted_once_under_its_verdict() -> None:
    numbers = verdict_chart.counts(claims().values())["claims"]
    assert int(numbers.sum()) == len(claims())
    for claim in claims().values():
        row = verdict_chart.OWN if claim.kind == "question" else f"document {claim.document}"
        assert int(numbers.sel(document=row, verdict=claim.word)) > 0


def test_bars_of_the_figure_are_the_counts_and_only_verdicts_that_occur_have_one() -> None:
    numbers = verdict_chart.counts(list(claims().values())[:9])
    drawn = verdict_chart.chart_of(numbers)(numbers)
    told = {look.name: look.entry for look in verdict_chart.LOOKS}
    assert {trace.name: list(trace.x) for trace in drawn.data} == {
        trace.name: numbers["claims"].sel(verdict=told[trace.name]).values.tolist() for trace in drawn.data
    }
    assert all(sum(trace.x) for trace in drawn.data)
