"""`tf.contrib.slim`: `tf.contrib.layers`, what of `tf.contrib.framework` goes with it, losses."""

from tinytf.api import contrib_losses as losses
from tinytf.api.contrib_layers import *  # noqa: F403
from tinytf.api.contrib_layers import __all__ as _layers
from tinytf.api.names import explained as _explained
from tinytf.layers.contrib.arg_scope import add_arg_scope, arg_scope, arg_scoped_arguments
from tinytf.layers.contrib.arg_scope import current_arg_scope, has_arg_scope
from tinytf.layers.contrib.variables import add_model_variable, assign_from_checkpoint
from tinytf.layers.contrib.variables import assign_from_checkpoint_fn, assign_from_values
from tinytf.layers.contrib.variables import assign_from_values_fn, filter_variables
from tinytf.layers.contrib.variables import get_local_variables, get_model_variables
from tinytf.layers.contrib.variables import get_trainable_variables, get_unique_variable
from tinytf.layers.contrib.variables import get_variable_full_name, get_variables
from tinytf.layers.contrib.variables import get_variables_by_name, get_variables_by_suffix
from tinytf.layers.contrib.variables import get_variables_to_restore, global_variable
from tinytf.layers.contrib.variables import local_variable, model_variable, variable
from tinytf.training.global_step import assert_global_step, create_global_step, get_global_step
from tinytf.training.global_step import get_or_create_global_step

__all__ = [name for name in dir() if not name.startswith("_") and name not in _layers]
__all__ += _layers

__getattr__ = _explained(__name__, "contrib.slim")
