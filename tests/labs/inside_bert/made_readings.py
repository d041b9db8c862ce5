"""A reading of a text, made by hand: all that the figures of *Inside BERT* ask for."""

import numpy as np
import xarray as xr

from goldviz.labs.inside_bert.head import ADDED, NORMS, STAGES

HOSTILE = "<img src=x>"
MEASURES = ["attention", "head_norm", "layer_norm", "rollout", "flow"]


def with_ends_for(own: xr.Dataset, other: xr.Dataset) -> xr.Dataset:
    """A text's shares with the largest ones of both texts, as the page sets two beside each other."""
    return own.assign(most=np.maximum(own["share"].max("piece"), other["share"].max("piece")))


def made(count: int = 6, width: int = 4, seed: int = 0) -> xr.Dataset:
    """Everything that the figures ask for, of a text with a hostile piece, drawn at random."""
    drawn = np.random.default_rng(seed)
    tokens = np.array(["[CLS]", HOSTILE, *(f"w{i}" for i in range(count - 3)), "[SEP]"], dtype=object)
    weights = drawn.dirichlet(np.ones(count), count)
    query, keys, values = drawn.normal(size=width), drawn.normal(size=(count, width)), drawn.normal(size=(count, width))
    score = keys @ query / np.sqrt(width)
    weight = np.exp(score) / np.exp(score).sum()
    special = np.isin(np.arange(count), [0, count - 1])
    places = np.arange(1, count + 1)
    return xr.Dataset(
        {
            "attention": (("query", "key"), weights),
            "query_vector": ("dimension", query),
            "key_vector": (("piece", "dimension"), keys),
            "value_vector": (("piece", "dimension"), values),
            "product": ("piece", keys @ query),
            "score": ("piece", score),
            "weight": ("piece", weight),
            "value_norm": ("piece", np.linalg.norm(values, axis=1)),
            "weighted_norm": ("piece", weight * np.linalg.norm(values, axis=1)),
            "output": ("dimension", weight @ values),
            "share": (("measure", "piece"), drawn.dirichlet(np.ones(count), 5)),
            "attribution": ("piece", np.where(special, 0, drawn.normal(size=count))),
            "attention_received": ("piece", drawn.dirichlet(np.ones(count))),
            "probability": ("label", np.array([0.7, 0.3])),
            "embedding_norm": (("part", "piece"), drawn.uniform(0.1, 1, (5, count))),
            "head_entropy_share": (("layer", "head"), drawn.uniform(0, 1, (2, 3))),
            "head_distance": (("layer", "head"), drawn.uniform(0, count / 2, (2, 3))),
            "guess_probability": ("guess", np.array([0.5, 0.2])),
            "cosine": ("neighbour", np.array([0.5, 0.2])),
            "stage_norm": (("stage", "piece"), drawn.uniform(1, 9, (len(STAGES), count))),
            "added_cosine": (("added", "piece"), drawn.uniform(-1, 1, (2, count))),
            "divisor": (("norm", "piece"), drawn.uniform(1, 2, (2, count))),
            "turned": ("piece", drawn.uniform(-1, 1, count)),
            "firing": ("piece", drawn.integers(0, 9, count) / 8),
            "neuron_output": ("neuron", drawn.normal(size=8)),
            "neuron_length": ("neuron", drawn.uniform(0, 1, 8)),
            "position_cosine": (("position", "other"), np.eye(128)),
            "distance_cosine": ("distance", np.linspace(1, 0, count)),
            "moved": (("positions", "state", "piece"), drawn.uniform(0, 1, (2, 3, count)) * [[[1e-7]], [[1.0]]]),
            "across": (("layer", "head"), drawn.uniform(0, 1, (2, 3))),
            "embedding": (("part", "unit"), drawn.normal(size=(5, width))),
            "word_cosine": (("pair", "state"), drawn.uniform(-1, 1, (2, 3))),
        },
        coords={
            "piece": places,
            "query": places,
            "key": places,
            "token": ("piece", tokens),
            "query_token": ("query", tokens),
            "key_token": ("key", tokens),
            "special": ("piece", special),
            "word": ("piece", np.where(special, -1, np.arange(count) - 1)),
            "start": ("piece", np.where(special, 0, np.arange(count))),
            "stop": ("piece", np.where(special, 0, places)),
            "dimension": np.arange(1, width + 1),
            "unit": np.arange(1, width + 1),
            "measure": MEASURES,
            "label": ["<b>bad</b>", "good"],
            "part": ["token", "segment", "position", "sum", "normalised"],
            "layer": [1, 2],
            "head": [1, 2, 3],
            "guess": [1, 2],
            "guessed": ("guess", np.array([HOSTILE, "w1"], dtype=object)),
            "stage": list(STAGES),
            "added": list(ADDED),
            "norm": list(NORMS),
            "neuron": np.arange(1, 9),
            "position": np.arange(1, 129),
            "other": np.arange(1, 129),
            "distance": np.arange(count),
            "positions": ["without", "with"],
            "state": np.arange(3),
            "pair": ["same word", "other words"],
            "neighbour": [1, 2],
            "nearby": ("neighbour", np.array([HOSTILE, "w2"], dtype=object)),
        },
        attrs={
            "word": "<i>gold</i>",
            "layer": 1,
            "head": 2,
            "query_piece": 2,
            "flow_method": "widest path",
            "label": "<b>bad</b>",
            "truth": "w1",
            "neighbours_of": HOSTILE,
            "piece_of": HOSTILE,
            "sentence": "A",
            "pieces_a": 2,
            "pieces_b": count - 4,
        },
    )
