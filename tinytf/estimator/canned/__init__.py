"""Estimators whose models are there already.

heads.py        what is made of a model's results: losses, predictions, metrics
checks.py       whether labels and weights fit them
optimizers.py   optimizers by name
declared.py     arguments and their defaults
dnn.py          deep networks
linear.py       linear models
combined.py     both, added up
baseline.py     what always says the same
"""
