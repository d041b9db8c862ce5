"""Inside BERT."""

from goldviz.labs.inside_bert.page import PAGE

PAGE.show()
