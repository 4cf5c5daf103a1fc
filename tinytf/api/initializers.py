"""`tf.initializers`: initial values of variables by short names."""

from tinytf.api.names import explained as _explained
from tinytf.ops.lookup.initializers import tables_initializer
from tinytf.ops.variables.initializers import Constant as constant
from tinytf.ops.variables.initializers import GlorotNormal as glorot_normal
from tinytf.ops.variables.initializers import GlorotUniform as glorot_uniform
from tinytf.ops.variables.initializers import Ones as ones
from tinytf.ops.variables.initializers import RandomNormal as random_normal
from tinytf.ops.variables.initializers import RandomUniform as random_uniform
from tinytf.ops.variables.initializers import TruncatedNormal as truncated_normal
from tinytf.ops.variables.initializers import UniformUnitScaling as uniform_unit_scaling
from tinytf.ops.variables.initializers import VarianceScaling as variance_scaling
from tinytf.ops.variables.initializers import Zeros as zeros
from tinytf.ops.variables.initializers import he_normal, he_uniform, lecun_normal, lecun_uniform
from tinytf.ops.variables.matrix_initializers import Identity as identity
from tinytf.ops.variables.matrix_initializers import Orthogonal as orthogonal
from tinytf.ops.variables.variable import global_variables_initializer as global_variables
from tinytf.ops.variables.variable import local_variables_initializer as local_variables
from tinytf.ops.variables.variable import variables_initializer as variables

__all__ = ["constant", "global_variables", "glorot_normal", "glorot_uniform", "he_normal"]
__all__ += ["he_uniform", "identity", "lecun_normal", "lecun_uniform", "local_variables", "ones"]
__all__ += ["orthogonal", "random_normal", "random_uniform", "tables_initializer"]
__all__ += ["truncated_normal", "uniform_unit_scaling", "variables", "variance_scaling", "zeros"]

__getattr__ = _explained(__name__, "initializers")
