"""What a worker process loads as it starts, so that the first run need not wait for it.

What only some runs need, and takes long, is loaded in its spare time: a worker is ready in half the time.
"""

import torch

from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.registry import experiments
from goldviz.extras import is_installed

for _lab in map(laboratory_of, experiments().values()):
    if is_installed(_lab.extra):
        _lab.part("train")

torch.set_num_threads(1)
torch.ones(1, requires_grad=True).sum().backward()
