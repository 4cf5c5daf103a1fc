"""Sparse tensors: `tf.sparse`, one file for each subject. See `framework/sparse_tensor.py`."""
