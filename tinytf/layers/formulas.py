"""What composites write formulas with, by one short name: `m.log`, `m.reduce_sum`."""

from tinytf.ops.array.broadcast_to import broadcast_static_shape
from tinytf.ops.array.concat import concat
from tinytf.ops.array.fill import ones, ones_like, zeros_like
from tinytf.ops.array.identity import identity
from tinytf.ops.array.one_hot import one_hot
from tinytf.ops.array.pad import pad
from tinytf.ops.array.placeholder import placeholder, placeholder_with_default
from tinytf.ops.array.reshape import expand_dims, reshape
from tinytf.ops.array.sequence_mask import sequence_mask
from tinytf.ops.array.shape import rank, shape, size
from tinytf.ops.array.tile import tile
from tinytf.ops.array.transpose import transpose
from tinytf.ops.array.where import where_v2
from tinytf.ops.base.broadcast_gradients import broadcast_dynamic_shape
from tinytf.ops.check.assert_op import Assert
from tinytf.ops.check.assert_shapes import assert_same_float_dtype
from tinytf.ops.check.assert_values import (
    assert_equal,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_non_negative,
    assert_positive,
)
from tinytf.ops.control_flow.cond import smart_cond
from tinytf.ops.control_flow.element_loops import map_fn
from tinytf.ops.control_flow.grouping import group, with_dependencies
from tinytf.ops.gradients.gradients import gradients
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.linalg.matrix_diag import matrix_diag, matrix_set_diag
from tinytf.ops.linalg.norms import l2_normalize
from tinytf.ops.math.arithmetic import maximum, minimum, squared_difference
from tinytf.ops.math.cast import cast
from tinytf.ops.math.clip import clip_by_norm, clip_by_value
from tinytf.ops.math.comparison import equal, less
from tinytf.ops.math.exp_log import exp, expm1, log, log1p
from tinytf.ops.math.is_finite import is_nan
from tinytf.ops.math.logical import logical_and, logical_not, logical_or
from tinytf.ops.math.no_nan import xlogy
from tinytf.ops.math.power import rsqrt, sqrt, square
from tinytf.ops.math.sign import absolute, sign
from tinytf.ops.math.special.error_functions import erfc, ndtri
from tinytf.ops.math.special.gamma_functions import digamma, lbeta, lgamma
from tinytf.ops.math.special.incomplete_gamma import betainc, igamma
from tinytf.ops.nn.activations import leaky_relu
from tinytf.ops.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from tinytf.ops.nn.embedding import embedding_lookup
from tinytf.ops.nn.in_top_k import in_top_k
from tinytf.ops.nn.sigmoid import sigmoid
from tinytf.ops.nn.softmax import log_softmax, softmax
from tinytf.ops.nn.softplus import softplus
from tinytf.ops.random.basic import random_normal, random_uniform
from tinytf.ops.random.choices import multinomial
from tinytf.ops.random.gamma import random_gamma
from tinytf.ops.reduce.argmax import argmax
from tinytf.ops.reduce.reduction import (
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_prod,
    reduce_sum,
)
