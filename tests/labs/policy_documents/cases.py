"""What the contract of all laboratories needs to know of *Policy documents*."""

from collections.abc import Iterator

from goldviz.figures.draft import Figure


def drawn_of() -> Iterator[tuple[str, Figure]]:
    """Its figures, of documents and changes made by hand."""
    from goldviz.labs.policy_documents.figures import FIGURES
    from tests.labs.policy_documents.views import change_view, policy_view

    for colour, kinds in (("date", "all"), ("tone", "own"), ("kind", "all")):
        yield f"map by {colour}", FIGURES["map"].draw(policy_view(), document=4, colour=colour, map_kinds=kinds)
    yield "timeline", FIGURES["timeline"].draw(policy_view(), document=4)
    yield "timeline in the dark", FIGURES["timeline"].draw(policy_view(20, kinds=3), document=7, theme="dark")
    yield "effects", FIGURES["effects"].draw(change_view(), numbers=[2, 5, 9], words=["a", "b", "c"])
    yield (
        "effects without a tone",
        FIGURES["effects"].draw(change_view(toned=False), numbers=[1, 2, 3], words=["a"] * 3),
    )
