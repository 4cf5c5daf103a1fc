"""Layers of a neural network that are ops: bias_add, l2_loss, xw_plus_b, dropout."""

from __future__ import annotations

_FORMAT = "data_format: {'NHWC', 'NCHW'} = 'NHWC'"
