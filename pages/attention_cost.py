"""What does attention cost?"""

from goldviz.labs.attention_cost.page import PAGE

PAGE.show()
