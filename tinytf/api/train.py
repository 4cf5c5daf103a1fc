"""`tf.train`: what trains a model."""

from tinytf.api.not_yet import explained
from tinytf.distributed.cluster_spec import ClusterSpec
from tinytf.distributed.server import Server
from tinytf.protos.cluster_pb2 import ClusterDef, JobDef
from tinytf.protos.meta_graph_pb2 import SaverDef
from tinytf.protos.tensorflow_server_pb2 import ServerDef
from tinytf.summary.reading import summary_iterator
from tinytf.training.adadelta import AdadeltaOptimizer
from tinytf.training.adagrad import AdagradDAOptimizer, AdagradOptimizer
from tinytf.training.adam import AdamOptimizer
from tinytf.training.ftrl import FtrlOptimizer
from tinytf.training.global_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)
from tinytf.training.graph_files import write_graph
from tinytf.training.meta_graph import export_meta_graph
from tinytf.training.meta_graph_import import import_meta_graph
from tinytf.training.gradient_descent import GradientDescentOptimizer
from tinytf.training.momentum import MomentumOptimizer
from tinytf.training.moving_averages import ExponentialMovingAverage
from tinytf.training.optimizer import Optimizer
from tinytf.training.proximal import ProximalAdagradOptimizer, ProximalGradientDescentOptimizer
from tinytf.training.rmsprop import RMSPropOptimizer
from tinytf.training.schedules import (
    cosine_decay, cosine_decay_restarts, exponential_decay, inverse_time_decay,
    linear_cosine_decay, natural_exp_decay, noisy_linear_cosine_decay, piecewise_constant,
    polynomial_decay,
)  # fmt: skip
from tinytf.training.schedules import piecewise_constant as piecewise_constant_decay

__all__ = [
    "AdadeltaOptimizer", "AdagradDAOptimizer", "AdagradOptimizer", "AdamOptimizer",
    "ClusterDef", "ClusterSpec", "ExponentialMovingAverage", "FtrlOptimizer",
    "GradientDescentOptimizer", "JobDef", "MomentumOptimizer", "Optimizer",
    "ProximalAdagradOptimizer", "ProximalGradientDescentOptimizer", "RMSPropOptimizer",
    "SaverDef", "Server", "ServerDef", "assert_global_step", "cosine_decay",
    "cosine_decay_restarts", "create_global_step", "exponential_decay", "export_meta_graph",
    "get_global_step", "get_or_create_global_step", "global_step", "import_meta_graph",
    "inverse_time_decay", "linear_cosine_decay", "natural_exp_decay",
    "noisy_linear_cosine_decay", "piecewise_constant", "piecewise_constant_decay",
    "polynomial_decay", "summary_iterator", "write_graph",
]  # fmt: skip

__getattr__ = explained(__name__, "train")
