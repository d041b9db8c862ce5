"""Stories: a question each, in five to seven steps."""

from goldviz.ui.panels.stories import show

ICON = ":material/auto_stories:"
RANK = 10

show()
