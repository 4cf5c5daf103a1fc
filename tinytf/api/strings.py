"""`tf.strings`: operations on text."""

from tinytf.ops.debugging import string_format as format

__all__ = ["format"]
