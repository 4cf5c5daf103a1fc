"""`tf.train.SyncReplicasOptimizer`: a step is the mean of the gradients of several replicas.

    a worker                                   on the parameter servers
    compute gradients, push them          -->  an accumulator for each variable; drops stale ones
    wait for a token                      <--  the token queue
                                               the chief's queue runner, for ever: take the mean of
                                               `replicas_to_aggregate` gradients, apply it, count
                                               the step, put tokens in

The token is the number of the step that begins: the worker keeps it in its `sync_rep_local_step`
and says it with its next gradient, which is dropped if that step is over by then.

Mirrors tensorflow/python/training/sync_replicas_optimizer.py.
"""

from __future__ import annotations

import logging
import operator
from typing import Any

from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.fill import fill
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.control_flow.primitives import no_op
from tinytf.ops.queues.accumulator_classes import (
    ConditionalAccumulator,
    ConditionalAccumulatorBase,
    SparseConditionalAccumulator,
)
from tinytf.ops.queues.queue_classes import FIFOQueue
from tinytf.ops.variables import state
from tinytf.ops.variables.checks import report_uninitialized_variables
from tinytf.ops.variables.variable import Variable, global_variables
from tinytf.resources.contributions import GRADIENTS, TOKEN_QUEUE
from tinytf.training.optimizer import GradsAndVars, Optimizer
from tinytf.training.sync_replicas.chief import ChiefQueueRunner
from tinytf.training.sync_replicas.hook import SyncReplicasHook

_logger = logging.getLogger("tinytf")


class SyncReplicasOptimizer(Optimizer):
    """Trains on the mean of several replicas' gradients (TensorFlow: the same name).

    Every replica builds the same graph and runs the operation that `minimize` returns. It pushes
    the replica's gradients into accumulators and waits until the step is made, for which one
    replica, the chief, runs a queue runner: the hook starts it (`make_session_run_hook`), or
    `get_chief_queue_runner` and `get_init_tokens_op` give what there is to start.

    Gradients are averaged, not added: with N replicas a step goes as far as with one.

    Args:
      opt: the optimizer that applies the mean.
      replicas_to_aggregate: how many gradients make a step.
      total_num_replicas: how many replicas there are; by default so many. If there are more, the
        slowest gradients of each step are dropped (backup replicas); if there are fewer, replicas
        give several gradients to a step.
      variable_averages: a `tf.train.ExponentialMovingAverage`, applied after each step.
      variables_to_average: of which variables; by default all that are trained.
      use_locking: kept, as in TensorFlow; `opt` has its own.
      name: of the operations' scope.

    Raises:
      ValueError: if a number of replicas is not positive. TypeError: if one is no whole number, or
        `opt` is no optimizer.

    Example:
      >>> w, step = tf.Variable(5.0), tf.train.get_or_create_global_step()
      >>> optimizer = tf.train.GradientDescentOptimizer(0.1)
      >>> optimizer = tf.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=1)
      >>> fetches = {"step": optimizer.minimize(tf.square(w), step)}
      >>> hooks = [optimizer.make_session_run_hook(is_chief=True)]
      >>> hooks += [tf.train.StopAtStepHook(last_step=3)]
      >>> with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
      ...     while not session.should_stop():
      ...         result = session.run(fetches)
    """

    def __init__(
        self,
        opt: Optimizer,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: Any = None,
        variables_to_average: Any = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ):
        super().__init__(use_locking, name)
        if not isinstance(opt, Optimizer):
            raise TypeError(
                f"opt is the optimizer that applies the mean of the gradients, such as "
                f"tf.train.GradientDescentOptimizer(0.1); got {opt!r}"
            )
        needed = _positive(replicas_to_aggregate, "replicas_to_aggregate")
        total = needed
        if total_num_replicas is not None:
            total = _positive(total_num_replicas, "total_num_replicas")
        _logger.info(
            "SyncReplicasV2: replicas_to_aggregate=%d; total_num_replicas=%d", needed, total
        )
        if needed > total:
            _logger.warning(
                "A step takes %d gradients (replicas_to_aggregate), of %d replicas "
                "(total_num_replicas): some give several gradients to each step. The first step "
                "needs at least %d tokens, which the hook or get_init_tokens_op() puts in.",
                needed,
                total,
                needed - total,
            )
        self._opt = opt
        self._replicas_to_aggregate = needed
        self._total_num_replicas = total
        self._tokens_per_step = max(total, needed)
        self._variable_averages = variable_averages
        self._variables_to_average = variables_to_average
        self._gradients_applied = False
        self._global_step: Any = None
        self._local_step: Any = None
        self._sync_token_queue: Any = None
        self._chief_queue_runner: ChiefQueueRunner | None = None
        #: (accumulator, its device): the chief sets their step when it begins
        self._accumulator_list: list[tuple[ConditionalAccumulatorBase, str]] = []
        #: After apply_gradients: sets the replica's local step; the chief's also the accumulators'.
        self.local_step_init_op: Any = None
        self.chief_init_op: Any = None
        #: After apply_gradients: says which variables these two still lack.
        self.ready_for_local_init_op: Any = None

    # Building a step --------------------------------------------------------------------------

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """The gradients of one replica, by the optimizer's own `compute_gradients`.

        They can be changed before they are applied, clipped for instance: each replica its own.

        Args: as of `tf.train.Optimizer.compute_gradients`.
        """
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: GradsAndVars, global_step: Any = None, name: str | None = None
    ) -> Any:
        """The operation that each replica runs: push gradients, wait for the next step.

        Args:
          grads_and_vars: pairs as `compute_gradients` gives them.
          global_step: the variable that counts the steps; it is needed here.
          name: not used, as in TensorFlow.

        Returns:
          the new local step, as a tensor; its value is the number of steps so far.

        Raises:
          ValueError: without gradients or `global_step`, or for a gradient of another kind.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError(
                "Global step is required to check staleness: minimize(loss, "
                "global_step=tf.train.get_or_create_global_step())"
            )
        self._global_step = global_step
        graph = get_default_graph()
        self._build_local_step(graph)
        with op_scope(None, self._name):
            pushes, means = self._accumulate(graph, pairs)
            with graph.device(global_step.device), graph.name_scope(""):
                update = self._opt.apply_gradients(means, global_step)
            with graph.device(global_step.device), graph.name_scope(""):
                queue = self._sync_token_queue = FIFOQueue(
                    -1,
                    global_step.dtype.base_dtype,
                    shapes=(),
                    name=TOKEN_QUEUE,
                    shared_name=TOKEN_QUEUE,
                )
            with graph.device(global_step.device), graph.name_scope(""):
                with graph.control_dependencies(pushes):
                    token = queue.dequeue()
                train_op = state.assign(self._local_step, token)
                self._chief_queue_runner = ChiefQueueRunner(self, queue, self._sync(graph, update))
            self.chief_init_op = self._chief_init(graph)
        self._gradients_applied = True
        return train_op

    def _build_local_step(self, graph: Any) -> None:
        """The replica's own step, and what initialises it."""
        step = self._global_step
        # A device setter leaves an operation like this on the worker, and variables not.
        anchor = no_op()
        with graph.colocate_with(anchor):
            self._local_step = Variable(
                0,
                trainable=False,
                collections=[GraphKeys.LOCAL_VARIABLES],
                dtype=step.dtype.base_dtype,
                name="sync_rep_local_step",
            )
        self.local_step_init_op = state.assign(self._local_step, step)
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())

    def _accumulate(
        self, graph: Any, pairs: list[tuple[Any, Any]]
    ) -> tuple[list[Operation], list[tuple[Any, Any]]]:
        """An accumulator for each gradient: what pushes into them, and (mean, variable)."""
        pushes: list[Operation] = []
        means: list[tuple[Any, Any]] = []
        for gradient, variable in pairs:
            with graph.device(variable.device):
                if gradient is None:
                    means.append((None, variable))
                    continue
                accumulator, push, mean = self._accumulator(gradient, variable)
            pushes.append(push)
            means.append((mean, variable))
            self._accumulator_list.append((accumulator, variable.device))
        return pushes, means

    def _accumulator(self, gradient: Any, variable: Any) -> tuple[Any, Operation, Any]:
        shared_name = variable.name + GRADIENTS
        if isinstance(gradient, Tensor):
            dense = ConditionalAccumulator(
                gradient.dtype, shape=variable.shape, shared_name=shared_name
            )
            push = dense.apply_grad(gradient, local_step=self._local_step)
            return dense, push, dense.take_grad(self._replicas_to_aggregate)
        if not isinstance(gradient, IndexedSlices):
            raise ValueError(
                f"Unknown grad type! The gradient of {variable.name} must be a tensor, "
                f"tf.IndexedSlices or None, got {gradient!r}"
            )
        rows = SparseConditionalAccumulator(gradient.dtype, shape=(), shared_name=shared_name)
        push = rows.apply_indexed_slices_grad(gradient, local_step=self._local_step)
        return rows, push, rows.take_indexed_slices_grad(self._replicas_to_aggregate)

    def _sync(self, graph: Any, update: Any) -> Any:
        """What the chief runs for each step: after the update, a token for each replica."""
        with graph.control_dependencies([update]):
            tokens = fill([self._tokens_per_step], self._global_step)
            put = self._sync_token_queue.enqueue_many((tokens,))
        if self._variable_averages is None:
            return put
        with graph.control_dependencies([put]), graph.name_scope(""):
            return self._variable_averages.apply(self._variables_to_average)

    def _chief_init(self, graph: Any) -> Operation:
        ops = [self.local_step_init_op]
        for accumulator, device in self._accumulator_list:
            with graph.device(device):
                ops.append(accumulator.set_global_step(self._global_step, name="SetGlobalStep"))
        return group(*ops)

    # What the chief starts --------------------------------------------------------------------

    def get_chief_queue_runner(self) -> ChiefQueueRunner:
        """What makes the steps: to be started by one replica, the chief, and by no other.

        Returns:
          a `tf.train.QueueRunner`.

        Raises:
          ValueError: before `apply_gradients`.
        """
        if self._chief_queue_runner is None:
            raise ValueError("Should be called after apply_gradients(), or minimize().")
        return self._chief_queue_runner

    def get_init_tokens_op(self, num_tokens: int = -1) -> Operation:
        """What puts the first tokens in: to be run by the chief, before the graph is final made.

        Args:
          num_tokens: how many; by default `replicas_to_aggregate`. At least so many as a step
            takes gradients beyond the number of replicas.

        Raises:
          ValueError: before `apply_gradients`, or for too few tokens.
        """
        if not self._gradients_applied:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(
                f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} "
                f"(needed): a step takes {self._replicas_to_aggregate} gradients, and each of the "
                f"{self._total_num_replicas} replicas gives one and then waits for a token."
            )
        if num_tokens <= 0:
            return no_op(name="no_init_tokens")
        graph = self._global_step.graph
        with graph.device(self._global_step.device), graph.name_scope(""):
            tokens = fill([num_tokens], self._global_step)
            return self._sync_token_queue.enqueue_many((tokens,))

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> SyncReplicasHook:
        """A hook that initialises a replica, and starts what the chief is to start.

        Args:
          is_chief: whether this replica is the chief.
          num_tokens: as of `get_init_tokens_op`.
        """
        return SyncReplicasHook(self, is_chief, num_tokens)

    # The optimizer within -----------------------------------------------------------------------

    def get_slot(self, *args: Any, **kwargs: Any) -> Variable | None:
        """The slot of the optimizer within; see `tf.train.Optimizer.get_slot`."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """The names of the slots of the optimizer within."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> list[Variable]:
        """The variables of the optimizer within; not the local step."""
        return self._opt.variables()


def _positive(number: Any, what: str) -> int:
    try:
        found = operator.index(number)
    except TypeError:
        raise TypeError(f"{what} must be a whole number, got {number!r}") from None
    if found < 1:
        raise ValueError(
            f"{what} must be at least 1, got {found}: a step would wait for nobody's gradients, or "
            f"for ever. With N workers: SyncReplicasOptimizer(opt, replicas_to_aggregate=N)."
        )
    return found
