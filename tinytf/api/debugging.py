"""`tf.debugging`: checks of values, shapes and types."""

from tinytf.api.names import explained as _explained
from tinytf.ops.check.assert_values import (
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_less,
)
from tinytf.ops.check.assert_values import (
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
)
from tinytf.ops.check.assert_values import assert_non_positive, assert_none_equal, assert_positive
from tinytf.ops.check.assert_values import (
    is_non_decreasing,
    is_numeric_tensor,
    is_strictly_increasing,
)
from tinytf.ops.check.assert_op import Assert
from tinytf.ops.check.check_numerics import check_numerics
from tinytf.ops.check.check_numerics import verify_tensor_all_finite as assert_all_finite
from tinytf.ops.check.assert_shapes import assert_integer, assert_proper_iterable, assert_rank
from tinytf.ops.check.assert_shapes import (
    assert_rank_at_least,
    assert_rank_in,
    assert_same_float_dtype,
)
from tinytf.ops.check.assert_shapes import assert_scalar, assert_shapes, assert_type
from tinytf.ops.math.is_finite import is_finite, is_inf, is_nan

__all__ = ["Assert", "assert_all_finite", "assert_equal", "assert_greater", "assert_greater_equal"]
__all__ += ["assert_integer", "assert_less", "assert_less_equal", "assert_near", "assert_negative"]
__all__ += ["assert_non_negative", "assert_non_positive", "assert_none_equal", "assert_positive"]
__all__ += ["assert_proper_iterable", "assert_rank", "assert_rank_at_least", "assert_rank_in"]
__all__ += ["assert_same_float_dtype", "assert_scalar", "assert_shapes", "assert_type"]
__all__ += ["check_numerics", "is_finite", "is_inf", "is_nan", "is_non_decreasing"]
__all__ += ["is_numeric_tensor", "is_strictly_increasing"]

__getattr__ = _explained(__name__, "debugging")
