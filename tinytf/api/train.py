"""`tf.train`: what trains a model."""

from tinytf.api.not_yet import explained
from tinytf.distributed.cluster_spec import ClusterSpec
from tinytf.distributed.server import Server
from tinytf.protos.cluster_pb2 import ClusterDef, JobDef
from tinytf.protos.tensorflow_server_pb2 import ServerDef
from tinytf.training.adam import AdamOptimizer
from tinytf.training.global_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)
from tinytf.training.gradient_descent import GradientDescentOptimizer
from tinytf.training.momentum import MomentumOptimizer
from tinytf.training.optimizer import Optimizer

__all__ = [
    "AdamOptimizer", "ClusterDef", "ClusterSpec", "GradientDescentOptimizer", "JobDef",
    "MomentumOptimizer", "Optimizer", "Server", "ServerDef",
    "assert_global_step", "create_global_step", "get_global_step", "get_or_create_global_step",
    "global_step",
]  # fmt: skip

__getattr__ = explained(__name__, "train")
