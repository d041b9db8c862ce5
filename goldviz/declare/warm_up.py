"""What a worker process loads as it starts, so that the first run need not wait for it.

What only some runs need, and takes long, comes a little later beside whatever goes on: a worker is ready in half the
time.
"""

import threading
from importlib import import_module

import torch

from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.registry import experiments

LATER = ("transformers.models.bert", "sklearn.linear_model", "arch.bootstrap")
LATER_SECONDS = 10.0

for _declared in experiments().values():
    laboratory_of(_declared).part("train")

torch.set_num_threads(1)
torch.ones(1, requires_grad=True).sum().backward()


def _load_the_rest() -> None:
    for name in LATER:
        import_module(name)


_rest = threading.Timer(LATER_SECONDS, _load_the_rest)
_rest.daemon = True
_rest.start()
