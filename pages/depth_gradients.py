"""Gradient flow in depth."""

from goldviz.experiments.depth_gradients import DepthGradients
from goldviz.figures.depth_gradients import FIGURES
from goldviz.ui.depth_mathematics import why
from goldviz.ui.laboratory import Laboratory

Laboratory(experiment=DepthGradients, figures=FIGURES, main="gradient_by_layer", beside="loss", why=why).show()
