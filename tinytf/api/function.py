"""Functions of the graph: what TensorFlow 1.x programs import from its innermost package.

from tensorflow.python.framework import function    # TensorFlow 1.x
from tinytf.api import function                     # here
"""

from tinytf.ops.functions.defun import Declare, Defun

__all__ = ["Declare", "Defun"]
