"""Which variable goes to which parameter server: `tf.train.replica_device_setter`.

A device function for `tf.device`: it looks at each operation as it is built, sends variables to
the tasks of the job "ps", in turn or as a strategy says, and all the rest to the job "worker".
What a `tf.device` inside asks for stays as it is; only what it leaves open is filled in.

Mirrors tensorflow/python/training/device_setter.py, and the strategies of TensorFlow 1.15's
tf.contrib.training.
"""

from __future__ import annotations

import hashlib
import itertools
import logging
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from tinytf.distributed.cluster.cluster_spec import ClusterSpec
from tinytf.framework.device_spec import DeviceSpec, components_of_device, merge_devices
from tinytf.framework.operation import Operation
from tinytf.ops.base.arguments import explains_arguments
from tinytf.placement.parameters import bytes_of
from tinytf.protos import node_def_pb2

_logger = logging.getLogger("tinytf")

#: The op types that hold state which is worth sharing. The operations that read and change it are
#: none of them: they go where colocation, or the worker's device, puts them.
STANDARD_PS_OPS = (
    "Variable",
    "VariableV2",
    "AutoReloadVariable",
    "MutableHashTable",
    "MutableHashTableV2",
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    "MutableDenseHashTable",
    "MutableDenseHashTableV2",
    "VarHandleOp",
    "BoostedTreesEnsembleResourceHandleOp",
    "BoostedTreesQuantileStreamResourceHandleOp",
    "ResourceConditionalAccumulator",
    "DecisionTreeResource",
)

Strategy = Callable[[Any], Any]
DeviceFunction = Callable[[Any], str]


@explains_arguments
def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Collection[str] | None = None,
    ps_strategy: Strategy | None = None,
) -> DeviceFunction | None:
    """A device function that spreads variables over parameter servers (TensorFlow: the same name).

    Args:
      ps_tasks: how many parameter servers there are; not used if there is a `cluster`.
      ps_device: the device of variables, without a task; "" for the worker's.
      worker_device: the device of everything else; "" to ask for none.
      merge_devices: whether what an inner `tf.device` leaves open is filled in; False takes the
        inner device as it is, if there is one at all.
      cluster: a `tf.train.ClusterSpec`, or what makes one; the tasks of the job in `ps_device` are
        counted.
      ps_ops: the op types that go to parameter servers; None for those of variables and tables.
      ps_strategy: called with each such operation, gives the number of its task; None for one
        after the other. Not called if an inner `tf.device` names another job.

    Returns:
      a function for `tf.device`; None, which is no request, if there are no parameter servers.

    Raises:
      TypeError: for a cluster that is none, or a strategy that cannot be called.
      ValueError: for a device that does not parse.

    Example:
      >>> with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
      ...     v1, v2, v3 = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)
      ...     total = v1 + v2
      >>> [v1.device, v2.device, v3.device, total.device]
      ['/job:ps/task:0', '/job:ps/task:1', '/job:ps/task:0', '/job:worker']
    """
    if cluster is not None:
        spec = cluster if isinstance(cluster, ClusterSpec) else ClusterSpec(cluster)
        job = DeviceSpec.from_string(ps_device).job
        ps_tasks = spec.num_tasks(job) if job in spec.jobs else 0
    if ps_tasks == 0:
        return None
    if ps_strategy is None:
        ps_strategy = _in_turn(ps_tasks)
    if not callable(ps_strategy):
        raise TypeError(
            f"ps_strategy must be callable, got {ps_strategy!r}: it gets an operation and returns "
            f"the number of a task."
        )
    if not merge_devices:
        _logger.warning(
            "DEPRECATION: It is recommended to set merge_devices=true in replica_device_setter"
        )
    types = STANDARD_PS_OPS if ps_ops is None else ps_ops
    if not ps_tasks or not ps_device:
        types = ()
    servers = DeviceSpec.from_string(ps_device)
    worker = DeviceSpec.from_string(worker_device)
    return _device_function(servers, worker, types, ps_strategy, bool(merge_devices))


def _in_turn(tasks: int) -> Strategy:
    """0, 1, ... up to the number of tasks, and again."""
    numbers = itertools.count()
    return lambda op: next(numbers) % tasks


def _device_function(
    servers: DeviceSpec, worker: DeviceSpec, types: Collection[str], strategy: Strategy, merge: bool
) -> DeviceFunction:
    elsewhere = worker.components()

    def replica_device(op: Any) -> str:
        """The device of an operation, or of a node of a `GraphDef`."""
        asked = op.device
        if asked and not merge:
            return asked
        if (op.op if isinstance(op, node_def_pb2.NodeDef) else op.type) not in types:
            return merge_devices(elsewhere, asked)
        job = components_of_device(asked)[0]
        place = servers
        # The tasks of another job are not the strategy's to choose from.
        if servers.job and (not job or job == servers.job):
            place = servers.replace(task=strategy(op))
        return merge_devices(place.components(), asked)

    return replica_device


# Strategies -------------------------------------------------------------------------------------


class GreedyLoadBalancingStrategy:
    """Gives each variable to the task with the least load so far.

    TensorFlow: `tf.contrib.training.GreedyLoadBalancingStrategy`, a `ps_strategy` of
    `tf.train.replica_device_setter`. It knows only what has been built: the order counts, and
    large variables are best built first.

    Args:
      num_tasks: the number of parameter servers.
      load_fn: gets an operation, returns its load: a number in any unit, `byte_size_load_fn` for
        example.

    Raises:
      ValueError: unless there is a task.

    Example:
      >>> bytes_of = tf.contrib.training.byte_size_load_fn
      >>> greedy = tf.contrib.training.GreedyLoadBalancingStrategy(2, bytes_of)
      >>> with tf.device(tf.train.replica_device_setter(ps_tasks=2, ps_strategy=greedy)):
      ...     sizes = [tf.get_variable(f"v{n}", [n]) for n in (100, 10, 20, 30)]
      >>> [v.device for v in sizes]
      ['/job:ps/task:0', '/job:ps/task:1', '/job:ps/task:1', '/job:ps/task:1']
    """

    def __init__(self, num_tasks: int, load_fn: Callable[[Any], Any]):
        _check_number(num_tasks)
        self._load_of = load_fn
        self._loads = np.zeros(num_tasks)

    def __call__(self, op: Any) -> int:
        """The task for an operation: the first one of those with the least load."""
        task = int(np.argmin(self._loads))
        self._loads[task] += self._load_of(op)
        return task


class RandomStrategy:
    """Gives each variable to a task that depends on its name alone.

    TensorFlow: `tf.contrib.training.RandomStrategy`. The same program gives the same devices
    everywhere, also if variables are added in between; those of one kind do not all meet on one
    task, as they may when tasks come in turn.

    Args:
      num_ps_tasks: the number of parameter servers. seed: another one shuffles the names anew.

    Raises:
      ValueError: unless there is a task.

    Example:
      >>> strategy = tf.contrib.training.RandomStrategy(2)
      >>> [strategy(tf.no_op(name=name)) for name in ("a", "b", "c", "d")]
      [1, 0, 1, 0]
    """

    def __init__(self, num_ps_tasks: int, seed: int = 0):
        _check_number(num_ps_tasks)
        self._tasks, self._seed = num_ps_tasks, seed

    def __call__(self, op: Any) -> int:
        """The task for an operation (anything with a `name`)."""
        text = f"{op.name}_{self._seed:d}".encode()
        digest = hashlib.md5(text, usedforsecurity=False).digest()
        return int.from_bytes(digest, "big") % self._tasks


def byte_size_load_fn(op: Operation) -> int:
    """The bytes of the value of an operation with one output, of a variable for example.

    TensorFlow: `tf.contrib.training.byte_size_load_fn`. Of a resource variable it is what the
    variable holds; TensorFlow counts its handle, as one byte. A string counts 8 bytes.

    Args:
      op: an operation.

    Raises:
      ValueError: if it has more than one output or none, or a shape that is not known.

    Example:
      >>> tf.contrib.training.byte_size_load_fn(tf.get_variable("w", [784, 300]).op)  # 940800
    """
    if len(op.outputs) != 1:
        raise ValueError(
            f"Op {op.name} ({op.type}) must have a single output, and has {len(op.outputs)}: only "
            f"then it is known what counts."
        )
    size = bytes_of(op)
    if size is None:
        raise ValueError(
            f"Shape {op.outputs[0].shape} of {op.name} ({op.type}) is not fully defined: its bytes "
            f"are not known before it has a value.\n{op.describe_origin()}"
        )
    return size


def _check_number(tasks: int) -> None:
    if tasks < 1:
        raise ValueError(f"A strategy needs the number of parameter servers, 1 or more: {tasks}.")
