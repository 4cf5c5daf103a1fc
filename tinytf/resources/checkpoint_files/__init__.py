"""Checkpoint files, TensorFlow's V2 and V1: sorted tables, and the tensors that they name.

    model.index                  a table: name -> where the tensor lies, its type, shape, checksum
    model.data-00000-of-00001    the tensors, one after the other
    model                        a V1 checkpoint: a table that has the tensors in it

Mirrors tensorflow/core/lib/io/table, tensorflow/core/util/tensor_bundle and tensor_slice_*.
"""
