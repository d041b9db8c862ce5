"""How long runs of *Price tokens* take: each preset once, on one thread, beside the time that its page names.

Fitting the tokeniser at every refit, training, the forecasts' densities and the bootstrap of the verdict are all in
it. Processor time, so other programs disturb it little.
"""

from __future__ import annotations

import time

from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.labs.price_tokens.train import train
from goldviz.runs.recorder import Recorder
from goldviz.runs.store.memory import Memory, NobodyAsks


def seconds(settings: PriceTokens) -> float:
    """Processor time of one run in this process."""
    record = Recorder(settings, Memory(), NobodyAsks(), processes=1)
    began = time.process_time()
    train(settings, record)
    return time.process_time() - began


def main() -> None:
    seconds(PriceTokens(epochs=1))  # imports and caches
    print(f"{'':<32}{'seen':>8}{'named':>8}")
    for preset in PriceTokens.presets:
        settings = PriceTokens.preset(preset.slug)
        print(f"{preset.name:<32}{seconds(settings):6.1f} s{settings.estimated_seconds():6.1f} s", flush=True)


if __name__ == "__main__":
    main()
