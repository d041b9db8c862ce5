"""The page of *Hopfield network*."""

from goldviz.ui.pages.laboratory import LaboratoryPage
from tests.by_recipe.memories.hopfield import LAB

PAGE = LaboratoryPage(LAB, main="overlap", beside="by_age")
