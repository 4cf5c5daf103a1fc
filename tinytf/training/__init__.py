"""What trains a model: optimizers and the counting of their steps."""
