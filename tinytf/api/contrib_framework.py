"""`tf.contrib.framework`: what `tf` and `tf.train` have taken over, and what is late.

Late is what goes with `tf.contrib.layers`: `arg_scope`, model variables.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from tinytf.api.names import explained as _explained
from tinytf.framework import nest
from tinytf.ops.functions.python_functions import py_func
from tinytf.ops.math.confusion_matrix import remove_squeezable_dimensions
from tinytf.training.checkpoint_reading import init_from_checkpoint, list_variables, load_checkpoint
from tinytf.training.checkpoint_reading import load_variable
from tinytf.framework.tensor_spec import TensorSpec
from tinytf.ops.array.broadcast_to import broadcast_to
from tinytf.ops.queues.critical_section import CriticalSection
from tinytf.ops.check.assert_shapes import assert_same_float_dtype, assert_scalar
from tinytf.ops.sparse.conversion import convert_to_tensor_or_sparse_tensor
from tinytf.ops.array.sort import argsort, sort
from tinytf.ops.variables.checks import is_tensor
from tinytf.training.global_step import assert_global_step, create_global_step, get_global_step
from tinytf.training.global_step import get_or_create_global_step

if _TYPE_CHECKING:  # imported when they are asked for
    from tinytf.layers.contrib.arg_scope import *  # noqa: F403
    from tinytf.layers.contrib.variables import *  # noqa: F403

__all__ = ["CriticalSection", "TensorSpec", "argsort", "assert_global_step"]
__all__ += ["assert_same_float_dtype", "assert_scalar", "broadcast_to"]
__all__ += ["convert_to_tensor_or_sparse_tensor", "create_global_step", "get_global_step"]
__all__ += ["get_or_create_global_step", "is_tensor", "sort"]
__all__ += ["init_from_checkpoint", "list_variables", "load_checkpoint", "load_variable", "nest"]
__all__ += ["py_func", "remove_squeezable_dimensions"]

__getattr__ = _explained(__name__, "contrib.framework")
