"""What a worker process loads as it starts, so that the first run need not wait for it."""

# What is imported here and not used is loaded for the runs to come.
import arch  # noqa: F401
import sklearn.linear_model  # noqa: F401
import torch

import goldviz.experiments.procedures.depth_gradients
import goldviz.experiments.procedures.gold_forecast
import goldviz.experiments.procedures.recurrent_gradients  # noqa: F401

torch.set_num_threads(1)
torch.ones(1, requires_grad=True).sum().backward()
