"""What document 001 hopes of gold: forecasts of its return (section 1.1), and documents as a channel (4.2.3)."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.gold_forecast import LAB

OverMarket = partial(Claim, LAB, over="market_seed", called="simulated markets")
SHORT = {"hidden": 8, "test_years": 6.0, "refits": 3, "learning_rate": 3e-3, "epochs": 6}
TEXTS = LAB.declared.preset("documents-that-move-gold").differences()

CLAIMS = (
    OverMarket(
        "C112",
        "A recurrent network forecasts gold's next log return.",
        "001, 1.1",
        lanes=(SHORT,),
        parts={
            "8 units (32 is usual), 3 refits (6): it saves {:.2%} of zero's squared error": Part("r2", above=0),
        },
    ),
    OverMarket(
        "C113",
        "The loss may count what was observed by then; a table joined by date knows more.",
        "001, 1.1",
        lanes=(SHORT, {**SHORT, "alignment": "date"}),
        parts={
            "8 units (32 is usual), 3 refits (6), values from their release on: it saves {:.1%} of zero's squared "
            "error": Part("r2", below=0.05, lanes=(1,)),
            "joined by date it seems to save {:.0%}": Part("r2", above=0.05, lanes=(2,)),
        },
    ),
    OverMarket(
        "C114",
        "An encoder makes policy documents useful to a forecast.",
        "001, 4.2.3",
        lanes=(TEXTS, {**TEXTS, "documents": "shuffled"}),
        parts={
            "where gold answers to them the forecast saves {:.1%} of zero's squared error": Part(
                "r2", above=0, lanes=(1,)
            ),
            "that is {:.1%} more than with the same documents dealt out at random": Part(
                "r2_gained_by_reading", above=0
            ),
        },
    ),
)
