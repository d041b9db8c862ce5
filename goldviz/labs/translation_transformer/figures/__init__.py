"""The figures of *Translation with a Transformer*, in the order in which a page shows them."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.by_kind import offered
from goldviz.figures.theme import sequential_stops
from goldviz.figures.thumbnail import picture_svg
from goldviz.labs.translation_transformer.figures.attention import alignment, own_side
from goldviz.labs.translation_transformer.figures.learning import alone, by_length, norm_at_work, steps_to_right
from goldviz.labs.translation_transformer.figures.quantities import KINDS, figure, shared_limits

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(
    figure, KINDS, own_side, alignment, steps_to_right, alone, norm_at_work, by_length, "attention", "loss"
)


def picture(ds: Run) -> str:
    """The home page's picture: the decoder's look back in the middle of its two sides."""
    colours = [str(colour) for _, colour in sequential_stops()]
    parts = []
    for left, name in ((12, "encoder_attention"), (114, "cross_attention"), (216, "decoder_attention")):
        weights = ds[name].isel(look=-1, block_number=-1).mean("head").values
        rows, columns = weights.shape
        wide, high = 92 / columns, 92 / rows
        parts += [
            f'<rect x="{left + column * wide:.1f}" y="{34 + row * high:.1f}" width="{wide:.1f}" height="{high:.1f}" '
            f'fill="{colours[round(float(weights[row, column]) * (len(colours) - 1))]}"/>'
            for row in range(rows)
            for column in range(columns)
        ]
    return picture_svg(
        parts,
        label="Three maps of attention: in the encoder, between the two, and in the decoder.",
        axes=("read", "written"),
    )
