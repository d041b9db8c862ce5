"""The page of *Echo-state network*."""

from goldviz.ui.pages.laboratory import LaboratoryPage
from tests.by_recipe.memories.echo_state import LAB

PAGE = LaboratoryPage(LAB, main="memory", beside="loss")
