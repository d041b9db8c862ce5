"""Train the small financial BERT that ships with the package, and write it with a card of what it is.

It is a run of the experiment bert-pretraining like any other; the settings below are all that is special about it. A
number as argument shortens both phases to that share of their steps, to try things out.
"""

import json
import sys
from typing import Any

import numpy as np
import torch
import xarray as xr
from tqdm import tqdm

from goldviz.data.texts.policy.sentences import policy_documents
from goldviz.labs.bert_pretraining.kept import trained_text_model
from goldviz.labs.bert_pretraining.settings import BertPretraining
from goldviz.labs.bert_pretraining.texts import SCORED_SHARE, Vocabulary, joined, masked_texts
from goldviz.labs.bert_pretraining.train import train
from goldviz.models.text.folder import write_text_model
from goldviz.models.text.loading import SHIPPED_FOLDER, SHIPPED_NAME
from goldviz.models.text.model import TextModel
from goldviz.runs.recorder import Progress, Recorder
from goldviz.runs.store.memory import Memory, NobodyAsks
from goldviz.runs.versions import versions

SETTINGS = BertPretraining(
    texts=30_000,
    labelled=10_000,
    vocabulary=4000,
    longest=512,
    document_share=0.2,
    layers=4,
    heads=4,
    width=128,
    inner=512,
    dropout=0.05,
    pretraining_steps=5000,
    fine_tuning_steps=4500,
    learning_rate=1e-3,
    fine_tuning_rate=7e-4,
    rehearsal=0.2,
    look_every=500,
    time_limit=86_400,
)
UNSEEN_DOCUMENTS = 120
DOCUMENT_STREAM = 1_000_000
WHAT_IT_IS = (
    "A BERT of 4 layers, trained from nothing on sentences and statements that goldviz generates by rules, for showing "
    "how such models work. It has read no real text, and what it says of one is worth little; for real texts take "
    "FinBERT. Segment B was never trained. Most steps read single sentences, a fifth of the pre-training steps whole "
    "statements joined to 512 pieces: beyond the first 32 to 64 places it guesses far worse than in a sentence, as the "
    "scores by place say. Its settings were chosen in a few trials on the same unseen texts, so the scores are a "
    "little favourable."
)


class LastState(Memory):
    """A sink that keeps the last state as well."""

    last = b""

    def checkpoint(self, step: int, state: bytes) -> None:
        """Keep the state in place of the one before."""
        self.last = state


def main() -> None:
    """Train, measure, and write the folder."""
    share = float(sys.argv[1]) if sys.argv[1:] else 1.0
    steps = {
        name: max(1, round(share * getattr(SETTINGS, name))) for name in ("pretraining_steps", "fine_tuning_steps")
    }
    settings = SETTINGS.changed(**steps)
    with tqdm(total=settings.steps_planned(), unit="step") as bar:

        def watch(progress: Progress) -> None:
            bar.update(progress.step - bar.n)

        sink = LastState(watch)
        record = Recorder(settings, sink, NobodyAsks())
        train(settings, record)
    seen = sink.dataset({name: vars(variable) for name, variable in settings.variables.items()}, {})
    model = trained_text_model(settings, sink.last, settings.seeds[0], SHIPPED_NAME)
    card = model_card(settings, seen, model, record.seconds)
    write_text_model(SHIPPED_FOLDER, model, card)
    print(json.dumps(card["scores"], indent=2))


def model_card(settings: BertPretraining, seen: xr.Dataset, model: TextModel, seconds: float) -> dict[str, Any]:
    """What is to be known of the model: what it is, how it was made, how good it is on unseen texts."""
    last = seen.isel(look=-1, seed=0)
    curves = ("unseen_masked_loss", "unseen_masked_accuracy", "unseen_tone_accuracy")
    return {
        "name": SHIPPED_NAME,
        "what": WHAT_IT_IS,
        "made_by": "make model",
        "experiment": settings.name,
        "settings": settings.differences(),
        "seed": settings.seeds[0],
        "parameters": model.parameter_count,
        "pieces": len(model.tokeniser),
        "versions": versions(),
        "seconds": round(seconds),
        "scores": {
            "masked": {
                "accuracy": _rounded(last.unseen_masked_accuracy),
                "perplexity": _rounded(np.exp(last.unseen_masked_loss)),
                "unigram accuracy": _rounded(seen.unigram_accuracy),
                "unigram perplexity": _rounded(np.exp(seen.unigram_loss)),
                "accuracy in documents by place": accuracy_by_place(model),
            },
            "tone": {
                str(texts): {
                    "accuracy": _rounded(last.unseen_tone_accuracy.sel(tone_set=texts)),
                    **_by_baseline(seen.baseline_tone_accuracy.sel(tone_set=texts)),
                }
                for texts in seen.tone_set.values
            },
            "tone by kind": {
                str(kind): {
                    "texts": int(seen.kind_count.sel(kind=kind)),
                    "accuracy": _rounded(last.kind_tone_accuracy.sel(kind=kind)),
                    **_by_baseline(seen.baseline_kind_accuracy.sel(kind=kind)),
                }
                for kind in seen.kind.values
            },
        },
        "training": {
            "step": seen.look.values.tolist(),
            **{name: _rounded(seen[name].isel(seed=0)) for name in curves},
        },
    }


@torch.no_grad()
def accuracy_by_place(model: TextModel) -> dict[str, float]:
    """The share of masked pieces guessed in unseen documents, by quarter of the 512 places."""
    written = policy_documents(UNSEEN_DOCUMENTS, np.random.default_rng(DOCUMENT_STREAM))
    rows = joined(model.tokeniser, written, model.longest)
    masked = masked_texts(
        rows, Vocabulary.of(model.tokeniser), torch.Generator().manual_seed(DOCUMENT_STREAM), SCORED_SHARE
    )
    assert model.masked_words is not None
    table = model.encoder.embeddings.token.weight
    right = torch.cat(
        [
            model.masked_words(model.encoder(row[None]), table).argmax(-1) == answers
            for row, answers in zip(masked.shown.pieces, masked.answers, strict=True)
        ]
    )
    asked = masked.answers >= 0
    quarters = torch.arange(model.longest).split(model.longest // 4)
    return {
        f"{int(places[0])} to {int(places[-1])}": round(float(right[:, places][asked[:, places]].float().mean()), 3)
        for places in quarters
    }


def _by_baseline(scores: xr.DataArray) -> dict[str, float]:
    return {str(name): _rounded(scores.sel(baseline=name)) for name in scores.baseline.values}


def _rounded(values: xr.DataArray) -> Any:
    """Plain numbers with four digits; None where there is none."""
    return _plain(np.asarray(values, np.float64).round(4).tolist())


def _plain(numbers: Any) -> Any:
    if isinstance(numbers, list):
        return [_plain(number) for number in numbers]
    return numbers if np.isfinite(numbers) else None


if __name__ == "__main__":
    main()
