"""Stories: a question each, in five to seven steps."""

from goldviz.ui.stories import show

show()
