"""tinytf: TensorFlow 1.x's graph runtime, small enough to read. `import tinytf as tf`.

Everything public is re-exported here by name, by section; the sections follow the packages.
"""

from tinytf.framework import errors
from tinytf.framework.constant_value import constant_value as get_static_value
from tinytf.framework.conversion import convert_to_tensor, register_tensor_conversion_function
from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.dtypes import QUANTIZED_DTYPES, DType, as_dtype, bfloat16, complex64
from tinytf.framework.dtypes import complex128, double, float16, float32, float64, half, int8, int16
from tinytf.framework.dtypes import int32, int64, qint8, qint16, qint32, quint8, quint16, resource
from tinytf.framework.dtypes import string, uint8, uint16, uint32, uint64, variant
from tinytf.framework.dtypes import bool_ as bool
from tinytf.framework.errors import OpError
from tinytf.framework.graph import Graph
from tinytf.framework.graph_import import import_graph_def
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph, get_default_session, reset_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import Dimension, TensorShape, dimension_at_index
from tinytf.framework.tensor_shape import dimension_value
from tinytf.framework.tensor_value import make_ndarray, make_tensor_proto

# Constants and placeholders
from tinytf.ops.array.constant import constant
from tinytf.ops.array.placeholder import placeholder, placeholder_with_default

# Arrays
from tinytf.ops.base import autopacking as _autopacking  # lists that hold tensors convert
from tinytf.ops.array import mirror_pad as _mirror_padding  # ops without a public name
from tinytf.ops.math import bucketize as _buckets  # likewise
from tinytf.ops.array.fill import fill, ones, ones_like, zeros, zeros_like
from tinytf.ops.array.gather import gather
from tinytf.ops.array.one_hot import one_hot
from tinytf.ops.array.identity import identity, identity_n, stop_gradient
from tinytf.ops.array.concat import concat
from tinytf.ops.array.stack import stack, unstack
from tinytf.ops.array.pad import pad
from tinytf.ops.array.broadcast_to import broadcast_static_shape, broadcast_to
from tinytf.ops.array.transpose import invert_permutation
from tinytf.ops.array.tile import tile
from tinytf.ops.array.transpose import transpose
from tinytf.ops.array.reshape import expand_dims, reshape, squeeze
from tinytf.ops.array.shape import rank, shape, shape_n, size
from tinytf.ops.array.slice import newaxis, slice, strided_slice
from tinytf.ops.array.split import split
from tinytf.ops.array.identity import guarantee_const
from tinytf.ops.array.parallel_stack import parallel_stack
from tinytf.ops.sparse.mask import sparse_mask
from tinytf.ops.array.unravel_index import unravel_index
from tinytf.ops.array.batch_gather import batch_gather
from tinytf.ops.base.broadcast_gradients import broadcast_dynamic_shape
from tinytf.ops.array.diag import diag, diag_part
from tinytf.ops.linalg.band_part import matrix_band_part
from tinytf.ops.linalg.eye import eye
from tinytf.ops.array.linspace import linspace
from tinytf.ops.array.meshgrid import meshgrid
from tinytf.ops.array.sequence_mask import sequence_mask
from tinytf.ops.array.linspace import linspace as lin_space
from tinytf.ops.linalg.matrix_diag import matrix_diag, matrix_diag_part, matrix_set_diag
from tinytf.ops.array.gather_nd import gather_nd
from tinytf.ops.array.scatter_nd import scatter_nd, tensor_scatter_add, tensor_scatter_sub
from tinytf.ops.array.scatter_nd import tensor_scatter_update
from tinytf.ops.array.scatter_nd import tensor_scatter_add as tensor_scatter_nd_add
from tinytf.ops.array.scatter_nd import tensor_scatter_max as tensor_scatter_nd_max
from tinytf.ops.array.scatter_nd import tensor_scatter_min as tensor_scatter_nd_min
from tinytf.ops.array.scatter_nd import tensor_scatter_sub as tensor_scatter_nd_sub
from tinytf.ops.array.scatter_nd import tensor_scatter_update as tensor_scatter_nd_update
from tinytf.ops.array.identity import ensure_shape
from tinytf.ops.array.repeat import repeat
from tinytf.ops.array.reverse import reverse, reverse_sequence
from tinytf.ops.array.roll import roll
from tinytf.ops.array.reverse import reverse as reverse_v2
from tinytf.ops.array.sort import argsort, sort
from tinytf.ops.array.searchsorted import searchsorted
from tinytf.ops.array.space_to_batch import batch_to_space, batch_to_space_nd, depth_to_space
from tinytf.ops.array.space_to_batch import required_space_to_batch_paddings, space_to_batch
from tinytf.ops.array.space_to_batch import space_to_batch_nd, space_to_depth
from tinytf.ops.array.dynamic_partition import dynamic_partition
from tinytf.ops.array.unique import unique, unique_with_counts

# Segments, and how often values come
from tinytf.ops.math.bincount import bincount
from tinytf.ops.math.confusion_matrix import confusion_matrix
from tinytf.ops.math.histogram import histogram_fixed_width
from tinytf.ops.math.histogram import histogram_fixed_width_bins
from tinytf.ops.segment.unsorted import (
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
)
from tinytf.ops.segment.unsorted import unsorted_segment_prod, unsorted_segment_sqrt_n
from tinytf.ops.segment.sorted import segment_max, segment_mean, segment_min, segment_prod
from tinytf.ops.segment.sorted import segment_sum, sparse_segment_mean, sparse_segment_sqrt_n
from tinytf.ops.segment.sorted import sparse_segment_sum

# Mathematics, and Python's operators for tensors
from tinytf.api import bitwise, linalg, manip, math, signal, spectral
from tinytf.ops.base import operators as _operators  # attaches them
from tinytf.ops.math.arithmetic import (
    accumulate_n,
    add,
    add_n,
    maximum,
    minimum,
    multiply,
    scalar_mul,
)
from tinytf.ops.math.arithmetic import squared_difference, subtract
from tinytf.ops.math.cast import cast, to_bfloat16, to_complex64, to_complex128, to_double, to_float
from tinytf.ops.math.cast import to_int32, to_int64
from tinytf.ops.math.comparison import equal, greater, greater_equal, less, less_equal
from tinytf.ops.math.logical import logical_and
from tinytf.ops.math.logical import logical_not, logical_or, logical_xor
from tinytf.ops.math.comparison import not_equal
from tinytf.ops.math.complex_numbers import conj, imag, real
from tinytf.ops.math.division import div, div_no_nan, divide, floor_div, floordiv, floormod, realdiv
from tinytf.ops.math.division import truediv, truncatediv, truncatemod
from tinytf.ops.math.trigonometry import cos, sin
from tinytf.ops.math.exp_log import exp, expm1, log, log1p
from tinytf.ops.math.power import pow, reciprocal, rsqrt, sqrt, square
from tinytf.ops.array.where import where, where_v2
from tinytf.ops.math.rounding import ceil, floor, rint, round
from tinytf.ops.math.is_finite import is_finite, is_inf, is_nan
from tinytf.ops.math.sign import negative, sign
from tinytf.ops.math.sign import absolute as abs
from tinytf.ops.math.division import floormod as mod
from tinytf.ops.math.complex_numbers import make_complex as complex
from tinytf.ops.linalg.contraction import cross, tensordot, trace
from tinytf.ops.linalg.decompositions import cholesky, qr, self_adjoint_eig, self_adjoint_eigvals
from tinytf.ops.linalg.decompositions import svd
from tinytf.ops.linalg.einsum import einsum
from tinytf.ops.linalg.inverses import matrix_determinant, matrix_inverse
from tinytf.ops.linalg.matrices import matrix_transpose
from tinytf.ops.linalg.matrix_functions import matrix_square_root
from tinytf.ops.linalg.norms import norm
from tinytf.ops.linalg.solving import cholesky_solve, matrix_solve, matrix_solve_ls
from tinytf.ops.linalg.solving import matrix_triangular_solve
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.linalg.mixed_matmul import sparse_matmul
from tinytf.ops.array.range import range
from tinytf.ops.reduce.argmax import argmax, argmin
from tinytf.ops.reduce.reduction import count_nonzero, reduce_all
from tinytf.ops.math.cumsum import cumprod, cumsum
from tinytf.ops.reduce.reduction import (
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
)
from tinytf.ops.reduce.reduction import reduce_prod, reduce_sum
from tinytf.ops.segment.unsorted import unsorted_segment_sum
from tinytf.ops.reduce.argmax import argmax as arg_max
from tinytf.ops.reduce.argmax import argmin as arg_min
from tinytf.ops.array.dynamic_stitch import dynamic_stitch, setdiff1d
from tinytf.ops.signal.fourier import fft, fft2d, fft3d, ifft, ifft2d, ifft3d

from tinytf.ops.array.bitcast import bitcast
from tinytf.ops.math.cast import saturate_cast
from tinytf.ops.math.complex_numbers import angle
from tinytf.ops.math.special.error_functions import erf, erfc
from tinytf.ops.math.special.gamma_functions import digamma, lbeta, lgamma, polygamma, zeta
from tinytf.ops.math.special.incomplete_gamma import betainc, igamma, igammac
from tinytf.ops.math.trigonometry import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cosh,
    sinh,
    tan,
)

# Neural networks and random numbers
from tinytf.api import nn, random
from tinytf.framework.random_seed import get_seed, set_random_seed
from tinytf.ops.nn.image_patches import extract_image_patches
from tinytf.ops.nn.sigmoid import log_sigmoid, sigmoid
from tinytf.ops.nn.tanh import tanh
from tinytf.ops.random.basic import random_normal, random_uniform, truncated_normal
from tinytf.ops.random.choices import multinomial, random_crop, random_shuffle
from tinytf.ops.random.gamma import random_gamma, random_poisson

# Queues
from tinytf.api import queue
from tinytf.diagnosis.stuck import why_stuck
from tinytf.api.queue import FIFOQueue, PaddingFIFOQueue, PriorityQueue, QueueBase
from tinytf.api.queue import RandomShuffleQueue
from tinytf.ops.queues.accumulator_classes import ConditionalAccumulator, ConditionalAccumulatorBase
from tinytf.ops.queues.accumulator_classes import SparseConditionalAccumulator
from tinytf.ops.queues import barrier_ops as _barrier_ops  # ops without a public name
from tinytf.ops.queues import old_queue_ops as _old_queue_ops
from tinytf.ops.queues import staging_ops as _staging_ops
from tinytf.ops.queues.critical_section import CriticalSection
from tinytf.ops.session_handles import delete_session_tensor, get_session_handle, get_session_tensor

# Readers
from tinytf.ops.readers.reader_classes import FixedLengthRecordReader, IdentityReader, ReaderBase
from tinytf.ops.readers.reader_classes import TextLineReader, TFRecordReader, WholeFileReader

# Scopes and collections
from tinytf.framework.scope_functions import add_to_collection, add_to_collections, colocate_with
from tinytf.framework.scope_functions import container, control_dependencies, device, get_collection
from tinytf.framework.scope_functions import get_collection_ref, name_scope, op_scope

# Strings and sparse tensors
from tinytf.api import dtypes, nest, sets, sparse, strings
from tinytf.framework.sparse_tensor import SparseTensor, SparseTensorValue
from tinytf.ops.strings.regular_expressions import regex_replace
from tinytf.ops.array.edit_distance import edit_distance
from tinytf.ops.sparse.add import sparse_add
from tinytf.ops.sparse.conversion import convert_to_tensor_or_sparse_tensor
from tinytf.ops.sparse.to_dense import sparse_tensor_to_dense, sparse_to_dense
from tinytf.ops.sparse.maximum import sparse_maximum, sparse_minimum
from tinytf.ops.sparse.concat import sparse_concat, sparse_slice, sparse_split
from tinytf.ops.sparse.merge import sparse_merge, sparse_to_indicator
from tinytf.ops.sparse.softmax import sparse_softmax
from tinytf.ops.sparse.placeholders import sparse_placeholder
from tinytf.ops.sparse.matmul import sparse_tensor_dense_matmul
from tinytf.ops.sparse.reduce import sparse_reduce_max, sparse_reduce_max_sparse
from tinytf.ops.sparse.reduce import sparse_reduce_sum, sparse_reduce_sum_sparse
from tinytf.ops.sparse.reorder import sparse_reorder
from tinytf.ops.sparse.retain import sparse_fill_empty_rows, sparse_retain
from tinytf.ops.sparse.reshape import sparse_reset_shape, sparse_reshape, sparse_transpose
from tinytf.ops.strings.hashing import string_to_hash_bucket, string_to_hash_bucket_fast
from tinytf.ops.strings.hashing import string_to_hash_bucket_strong
from tinytf.ops.strings.numbers import as_string, string_to_number
from tinytf.ops.strings.splitting import string_split
from tinytf.ops.strings.text import decode_base64, encode_base64, reduce_join, string_join
from tinytf.ops.strings.text import string_strip, substr

# Control flow, printing, checking, Python functions
from tinytf.ops import sendrecv as _transfers  # their cards: graphs may have them
from tinytf.ops.functions import calls as _calls  # likewise
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.control_flow.while_loop import while_loop
from tinytf.ops.control_flow.grouping import group, tuple
from tinytf.ops.control_flow.primitives import no_op
from tinytf.ops.control_flow.case import case
from tinytf.ops.control_flow.element_loops import foldl, foldr, map_fn, scan
from tinytf.api import debugging
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
from tinytf.ops.logging.print import Print, print
from tinytf.ops.check.check_numerics import add_check_numerics_ops, check_numerics
from tinytf.ops.check.check_numerics import verify_tensor_all_finite
from tinytf.ops.check.assert_shapes import assert_integer, assert_proper_iterable, assert_rank
from tinytf.ops.check.assert_shapes import (
    assert_rank_at_least,
    assert_rank_in,
    assert_same_float_dtype,
)
from tinytf.ops.check.assert_shapes import assert_scalar, assert_type
from tinytf.ops.functions.python_functions import numpy_function, py_func

from tinytf.ops.array.boolean_mask import boolean_mask

# Gradients
from tinytf.ops.math.clip import clip_by_average_norm, clip_by_global_norm, clip_by_norm
from tinytf.ops.math.clip import clip_by_value, global_norm
from tinytf.framework.indexed_slices import IndexedSlices, IndexedSlicesValue
from tinytf.framework.indexed_slices import convert_to_tensor_or_indexed_slices
from tinytf.ops.gradients.custom_gradient import custom_gradient, grad_pass_through
from tinytf.ops.gradients.registered import RegisterGradient
from tinytf.ops.gradients.registered import no_gradient as NoGradient
from tinytf.ops.gradients.registered import no_gradient as NotDifferentiable
from tinytf.ops.gradients.registered import no_gradient
from tinytf.ops.gradients.aggregation import AggregationMethod
from tinytf.ops.gradients.gradients import UnconnectedGradients
from tinytf.ops.gradients.gradients import gradients
from tinytf.ops.gradients.hessians import hessians

# Variables
from tinytf.api import initializers
from tinytf.ops.variables.initializers import constant_initializer, glorot_normal_initializer
from tinytf.ops.variables.initializers import glorot_uniform_initializer, ones_initializer
from tinytf.ops.variables.initializers import random_normal_initializer, random_uniform_initializer
from tinytf.ops.variables.initializers import truncated_normal_initializer
from tinytf.ops.variables.initializers import uniform_unit_scaling_initializer
from tinytf.ops.variables.initializers import variance_scaling_initializer, zeros_initializer
from tinytf.ops.variables.scatter_nd_updates import batch_scatter_update, scatter_nd_add
from tinytf.ops.variables.scatter_nd_updates import scatter_nd_sub, scatter_nd_update
from tinytf.ops.variables.scatter_updates import scatter_add, scatter_div, scatter_max, scatter_min
from tinytf.ops.variables.scatter_updates import scatter_mul, scatter_sub, scatter_update
from tinytf.ops.variables.matrix_initializers import orthogonal_initializer
from tinytf.ops.variables.state import assign, assign_add, assign_sub, is_variable_initialized
from tinytf.ops.tensor_array.tensor_array import TensorArray
from tinytf.ops.variables.parts import count_up_to
from tinytf.ops.variables.current_scope import VariableScope, get_variable_scope
from tinytf.ops.variables.partitioned import fixed_size_partitioner, min_max_variable_partitioner
from tinytf.ops.variables.partitioned import variable_axis_size_partitioner
from tinytf.ops.variables.template import make_template
from tinytf.ops.variables.scope import create_partitioned_variables, get_local_variable
from tinytf.ops.variables.scope import get_variable, no_regularizer, variable_op_scope
from tinytf.ops.variables.scope import variable_scope
from tinytf.ops.variables.store import AUTO_REUSE
from tinytf.ops.variables.checks import assert_variables_initialized, is_tensor
from tinytf.ops.variables.checks import report_uninitialized_variables
from tinytf.ops.variables.variable_creators import VariableAggregation, VariableSynchronization
from tinytf.ops.variables.variable_creators import (
    disable_resource_variables,
    enable_resource_variables,
)
from tinytf.ops.variables.variable_creators import (
    resource_variables_enabled,
    variable_creator_scope,
)
from tinytf.ops.variables.variable import Variable, global_variables, global_variables_initializer
from tinytf.ops.variables.variable import local_variables, local_variables_initializer
from tinytf.ops.variables.variable import model_variables, moving_average_variables
from tinytf.ops.variables.variable import trainable_variables, variables_initializer
from tinytf.ops.variables.variable import global_variables as all_variables
from tinytf.ops.variables.variable import global_variables_initializer as initialize_all_variables
from tinytf.ops.variables.variable import local_variables_initializer as initialize_local_variables
from tinytf.ops.variables.variable import variables_initializer as initialize_variables

# Tables
from tinytf.api import lookup
from tinytf.ops.lookup.initializers import tables_initializer
from tinytf.ops.lookup.initializers import tables_initializer as initialize_all_tables

# Training
from tinytf.api import contrib, test, train

# Input pipelines, and the tutorials' data sets
from tinytf.api import data
from tinytf.framework.tensor_spec import SparseTensorSpec, TensorSpec
from tinytf.ops.sparse.serialize import deserialize_many_sparse, serialize_many_sparse
from tinytf.ops.sparse.serialize import serialize_sparse

# Ops and kernels of one's own
from tinytf.api import user_ops

# Files, and what is in them
from tinytf.ops.io.csv import decode_csv
from tinytf.ops.io.examples import parse_example, parse_single_example
from tinytf.ops.io.feature_configs import FixedLenFeature, FixedLenSequenceFeature, SparseFeature
from tinytf.ops.io.feature_configs import VarLenFeature
from tinytf.ops.io.files import matching_files, read_file, write_file
from tinytf.ops.io.decode_raw import decode_compressed, decode_raw
from tinytf.ops.io.sequence_ops import parse_single_sequence_example
from tinytf.ops.io.serialize_tensor import decode_json_example, parse_tensor, serialize_tensor

# Graphs in files, and what TensorBoard shows
from tinytf import summary
from tinytf.api import gfile, graph_util, image, io, python_io
from tinytf.protos.meta_graph_pb2 import MetaGraphDef, TensorInfo
from tinytf.protos.summary_pb2 import Event, HistogramProto, LogMessage, SessionLog, Summary
from tinytf.protos.summary_pb2 import SummaryMetadata

# Devices
from tinytf import devices
from tinytf.api import config

# How scripts begin, and programs written for TensorFlow 1 and 2
from tinytf.api import app, compat, logging, resource_loader, sysconfig, version
from tinytf.api.compat import control_flow_v2_enabled, disable_control_flow_v2
from tinytf.api.compat import disable_eager_execution, disable_tensor_equality, disable_v2_behavior
from tinytf.api.compat import disable_v2_tensorshape, executing_eagerly
from tinytf.api.logging import get_logger
from tinytf.api.version import COMPILER_VERSION, CXX11_ABI_FLAG, GIT_VERSION, GRAPH_DEF_VERSION
from tinytf.api.version import GRAPH_DEF_VERSION_MIN_CONSUMER, GRAPH_DEF_VERSION_MIN_PRODUCER
from tinytf.api.version import MONOLITHIC_BUILD, VERSION
from tinytf.api.version import COMPILER_VERSION as __compiler_version__
from tinytf.api.version import CXX11_ABI_FLAG as __cxx11_abi_flag__
from tinytf.api.version import GIT_VERSION as __git_version__
from tinytf.api.version import MONOLITHIC_BUILD as __monolithic_build__
from tinytf.api.names import ON_DEMAND as _ON_DEMAND
from tinytf.api.names import explained as _explained
from tinytf.api.names import import_by_public_names as _import_by_public_names
from tinytf.ops.base.arguments import explain_fields as _explain_fields
from tinytf.api.names import import_laboratory as _import_laboratory
from tinytf.api.names import name_reprs as _name_reprs
from tinytf.api.paths import import_by_module_paths as _import_by_module_paths

# Sessions
from tinytf.protos.config_pb2 import ConfigProto, GPUOptions, GraphOptions, OptimizerOptions
from tinytf.protos.config_pb2 import RunMetadata, RunOptions
from tinytf.protos.graph_pb2 import GraphDef
from tinytf.protos.node_def_pb2 import AttrValue, NameAttrList, NodeDef
from tinytf.distributed.client import targets as _targets  # registers "grpc://"
from tinytf.ops.training import ada_max as _ada_max  # registers what tf.contrib.opt steps with
from tinytf.ops.training import sign as _sign  # likewise
from tinytf.session import local as _local_session  # registers the local runtime
from tinytf.session.interactive import InteractiveSession
from tinytf.session.session import Session

# Notebooks: `%load_ext tinytf` calls these two; reprs are attached when IPython is running.
import sys as _sys
from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING as _TYPE_CHECKING


def load_ipython_extension(shell: object) -> None:
    """Called by `%load_ext tinytf`: loads the magics (see `tinytf.jupyter`).

    Example:
      >>> tinytf.load_ipython_extension(get_ipython())  # doctest: +SKIP
    """
    _import_laboratory("tinytf.jupyter", "%load_ext tinytf").load_ipython_extension(shell)


def unload_ipython_extension(shell: object) -> None:
    """Called by `%unload_ext tinytf`.

    Example:
      >>> tinytf.unload_ipython_extension(get_ipython())  # doctest: +SKIP
    """
    _import_laboratory("tinytf.jupyter", "%unload_ext tinytf").unload_ipython_extension(shell)


if "IPython" in _sys.modules and _find_spec("tinytf.jupyter"):
    _import_laboratory("tinytf.jupyter", "A notebook").attach_to_notebook()

if _TYPE_CHECKING:  # imported when they are asked for, see below
    from tinytf import estimator as estimator
    from tinytf import feature_column as feature_column
    from tinytf import distributions as distributions
    from tinytf import keras as keras
    from tinytf import layers as layers
    from tinytf import losses as losses
    from tinytf import metrics as metrics
    from tinytf import saved_model as saved_model
    from tinytf.api import flags as flags
    from tinytf.distributed.local_cluster import LocalCluster as LocalCluster

_explain = _explained(__name__)
#: Packages that programs reach as attributes, and a plain import does not need.
_LABORATORY = ("grading", "jupyter", "testing")


def __getattr__(name: str) -> object:
    if name in _LABORATORY:
        return _import_laboratory(f"tinytf.{name}", f"tinytf.{name}")
    if name in _ON_DEMAND:
        return _import_module(f"tinytf.{name}")
    return _explain(name)


# These two stand below tinytf.api.
vars(errors)["__getattr__"] = _explained(errors.__name__, "errors")
vars(summary)["__getattr__"] = _explained(summary.__name__, "summary")
# Tracebacks call errors tinytf.errors.NotFoundError, as programs do.
_sys.modules[f"{__name__}.errors"] = errors
for _found in vars(errors).values():
    if isinstance(_found, type) and issubclass(_found, OpError):
        _found.__module__ = f"{__name__}.errors"
# What `from tinytf.data import` finds is the package of that name: it passes on what tf.data has.
vars(_sys.modules["tinytf.data"])["__getattr__"] = lambda name: getattr(data, name)
_import_by_public_names()
_import_by_module_paths()
_name_reprs()
_explain_fields(ConfigProto, GPUOptions, GraphOptions, OptimizerOptions, RunOptions)

__version__ = "0.1.0"
