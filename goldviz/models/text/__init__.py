"""Encoders of texts: one network, read from any BERT, RoBERTa or DistilBERT checkpoint."""
