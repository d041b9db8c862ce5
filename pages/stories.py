"""Stories: a question each, in six or seven steps."""

from goldviz.ui.panels.stories import show

ICON = ":material/auto_stories:"
RANK = 10

show()
