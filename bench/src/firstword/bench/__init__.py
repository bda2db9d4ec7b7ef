"""Measurements of the product and its peers: ``python -m firstword.bench NAME``."""
