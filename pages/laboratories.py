"""All laboratories: every chapter with its rooms."""

from goldviz.ui.pages.all_laboratories import show

ICON = ":material/apps:"
RANK = 5

show()
