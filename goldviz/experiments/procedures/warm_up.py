"""What a worker process loads as it starts, so that the first run need not wait for it."""

import torch

import goldviz.experiments.procedures.depth_gradients
import goldviz.experiments.procedures.recurrent_gradients  # noqa: F401 - loaded for the runs to come

torch.set_num_threads(1)
torch.ones(1, requires_grad=True).sum().backward()
