"""A laboratory for small neural networks: train one and look inside it while it learns.

>>> import goldviz
>>> sorted(goldviz.experiments())[0]
'depth-gradients'
"""

from goldviz.api import experiments, load, run, runs

__all__ = ["experiments", "load", "run", "runs"]
