"""`tf.train`: what trains a model."""

import typing

from tinytf.api import queue_runner
from tinytf.api.names import explained as _explained
from tinytf.distributed.cluster.cluster_spec import ClusterSpec
from tinytf.protos.cluster_pb2 import ClusterDef, JobDef
from tinytf.protos.example_pb2 import BytesList, Example, Feature, FeatureList, FeatureLists
from tinytf.protos.example_pb2 import Features, FloatList, Int64List, SequenceExample
from tinytf.protos.meta_graph_pb2 import SaverDef
from tinytf.protos.tensorflow_server_pb2 import ServerDef
from tinytf.summary.reading import summary_iterator
from tinytf.training.adadelta import AdadeltaOptimizer
from tinytf.training.adagrad import AdagradDAOptimizer, AdagradOptimizer
from tinytf.training.adam import AdamOptimizer
from tinytf.training.batching import batch, batch_join, maybe_batch, maybe_batch_join
from tinytf.training.batching import maybe_shuffle_batch, maybe_shuffle_batch_join, shuffle_batch
from tinytf.training.batching import shuffle_batch_join
from tinytf.training.checkpoint_reading import NewCheckpointReader, init_from_checkpoint
from tinytf.training.checkpoint_reading import list_variables, load_checkpoint, load_variable
from tinytf.training.checkpoint_state import checkpoint_exists, generate_checkpoint_state_proto
from tinytf.training.checkpoint_state import get_checkpoint_mtimes, get_checkpoint_state
from tinytf.training.checkpoint_state import latest_checkpoint, remove_checkpoint
from tinytf.training.checkpoint_state import update_checkpoint_state
from tinytf.training.coordinator import Coordinator, LooperThread
from tinytf.training.device_setter import replica_device_setter
from tinytf.training.ftrl import FtrlOptimizer
from tinytf.training.global_step import assert_global_step, create_global_step, get_global_step
from tinytf.training.global_step import get_or_create_global_step, global_step
from tinytf.training.graph_files import write_graph
from tinytf.training.input import input_producer, limit_epochs, match_filenames_once
from tinytf.training.input import range_input_producer, slice_input_producer, string_input_producer
from tinytf.training.meta_graph import export_meta_graph
from tinytf.training.meta_graph_import import import_meta_graph
from tinytf.training.gradient_descent import GradientDescentOptimizer
from tinytf.training.momentum import MomentumOptimizer
from tinytf.training.moving_averages import ExponentialMovingAverage
from tinytf.training.optimizer import Optimizer
from tinytf.training.proximal import ProximalAdagradOptimizer, ProximalGradientDescentOptimizer
from tinytf.training.queue_runner import QueueRunner, add_queue_runner, start_queue_runners
from tinytf.training.rmsprop import RMSPropOptimizer
from tinytf.training.saver import Saver
from tinytf.training.schedules import cosine_decay, cosine_decay_restarts, exponential_decay
from tinytf.training.schedules import inverse_time_decay, linear_cosine_decay, natural_exp_decay
from tinytf.training.schedules import noisy_linear_cosine_decay, piecewise_constant
from tinytf.training.schedules import polynomial_decay
from tinytf.training.schedules import piecewise_constant as piecewise_constant_decay

if typing.TYPE_CHECKING:
    from tinytf.distributed.server.server import Server
    from tinytf.training.hooks.checkpoint_saver import CheckpointSaverHook, CheckpointSaverListener
    from tinytf.training.hooks.feed_fn import FeedFnHook
    from tinytf.training.hooks.final_ops import FinalOpsHook
    from tinytf.training.hooks.global_step_waiter import GlobalStepWaiterHook
    from tinytf.training.hooks.logging_tensor import LoggingTensorHook
    from tinytf.training.hooks.nan_tensor import NanLossDuringTrainingError, NanTensorHook
    from tinytf.training.hooks.profiler import ProfilerHook
    from tinytf.training.hooks.session_run_hook import SessionRunArgs, SessionRunContext
    from tinytf.training.hooks.session_run_hook import SessionRunHook, SessionRunValues
    from tinytf.training.hooks.step_counter import StepCounterHook
    from tinytf.training.hooks.stop_at_step import StopAtStepHook
    from tinytf.training.hooks.summary_saver import SummarySaverHook
    from tinytf.training.hooks.timer import SecondOrStepTimer
    from tinytf.training.managed.basic_loops import basic_train_loop
    from tinytf.training.managed.monitored_session import MonitoredSession
    from tinytf.training.managed.monitored_session import SingularMonitoredSession
    from tinytf.training.managed.scaffold import Scaffold
    from tinytf.training.managed.session_creators import ChiefSessionCreator, SessionCreator
    from tinytf.training.managed.session_creators import WorkerSessionCreator
    from tinytf.training.managed.session_manager import SessionManager
    from tinytf.training.managed.supervisor import Supervisor
    from tinytf.training.managed.training_session import MonitoredTrainingSession
    from tinytf.training.sync_replicas.optimizer import SyncReplicasOptimizer

__all__ = ["AdadeltaOptimizer", "AdagradDAOptimizer", "AdagradOptimizer", "AdamOptimizer"]
__all__ += ["BytesList", "ClusterDef", "ClusterSpec", "Coordinator", "Example"]
__all__ += ["ExponentialMovingAverage", "Feature", "FeatureList", "FeatureLists", "Features"]
__all__ += ["FloatList", "FtrlOptimizer", "GradientDescentOptimizer", "Int64List", "JobDef"]
__all__ += ["LooperThread", "MomentumOptimizer", "NewCheckpointReader", "Optimizer"]
__all__ += ["ProximalAdagradOptimizer", "ProximalGradientDescentOptimizer", "QueueRunner"]
__all__ += ["RMSPropOptimizer", "Saver", "SaverDef", "SequenceExample", "Server", "ServerDef"]
__all__ += ["add_queue_runner", "assert_global_step", "batch", "batch_join"]
__all__ += ["checkpoint_exists", "cosine_decay", "cosine_decay_restarts", "create_global_step"]
__all__ += ["exponential_decay", "export_meta_graph", "generate_checkpoint_state_proto"]
__all__ += ["get_checkpoint_mtimes", "get_checkpoint_state", "get_global_step"]
__all__ += ["get_or_create_global_step", "global_step", "import_meta_graph"]
__all__ += ["init_from_checkpoint", "input_producer", "inverse_time_decay", "latest_checkpoint"]
__all__ += ["limit_epochs", "linear_cosine_decay", "list_variables", "load_checkpoint"]
__all__ += ["load_variable", "match_filenames_once", "maybe_batch", "maybe_batch_join"]
__all__ += ["maybe_shuffle_batch", "maybe_shuffle_batch_join", "natural_exp_decay"]
__all__ += ["noisy_linear_cosine_decay", "piecewise_constant", "piecewise_constant_decay"]
__all__ += ["polynomial_decay", "queue_runner", "range_input_producer", "remove_checkpoint"]
__all__ += ["replica_device_setter", "shuffle_batch", "shuffle_batch_join"]
__all__ += ["slice_input_producer", "start_queue_runners", "string_input_producer"]
__all__ += ["CheckpointSaverHook", "CheckpointSaverListener", "FeedFnHook", "FinalOpsHook"]
__all__ += ["GlobalStepWaiterHook", "LoggingTensorHook", "NanLossDuringTrainingError"]
__all__ += ["NanTensorHook", "ProfilerHook", "SecondOrStepTimer", "StepCounterHook"]
__all__ += ["StopAtStepHook", "SummarySaverHook"]
__all__ += ["summary_iterator", "update_checkpoint_state", "write_graph"]
__all__ += ["ChiefSessionCreator", "MonitoredSession", "MonitoredTrainingSession", "Scaffold"]
__all__ += ["SessionCreator", "SessionManager", "SessionRunArgs", "SessionRunContext"]
__all__ += ["SessionRunHook", "SessionRunValues", "SingularMonitoredSession"]
__all__ += ["WorkerSessionCreator"]
__all__ += ["Supervisor", "SyncReplicasOptimizer", "basic_train_loop"]

__getattr__ = _explained(__name__, "train")
