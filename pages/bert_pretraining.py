"""Pre-training and fine-tuning."""

from goldviz.labs.bert_pretraining.page import PAGE

PAGE.show()
