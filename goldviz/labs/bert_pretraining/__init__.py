"""Pre-training and fine-tuning of a small BERT: first it guesses masked words, then it judges a statement's tone."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(
    __name__, "bert-pretraining", settings="BertPretraining", text_models="kept:trained_text_model", extra="texts"
)
