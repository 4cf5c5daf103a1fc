"""The local session: steps compiled and run in this process."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from tinytf.devices import open_devices
from tinytf.devices.device import Device, DeviceAttributes
from tinytf.framework.cancellation import CancellationManager, deadline_after
from tinytf.framework.errors import CancelledError, InvalidArgumentError
from tinytf.framework.function_library import Body
from tinytf.framework.graph import Graph
from tinytf.framework.operation import Operation
from tinytf.framework.rendezvous import Rendezvous
from tinytf.framework.tensor import Tensor
from tinytf.placement.placement import Placement
from tinytf.protos import config_pb2
from tinytf.resources.manager import ResourceManager
from tinytf.resources.session_tensors import SessionTensors
from tinytf.runtime import blas, executor
from tinytf.runtime.compiler import compile_plan
from tinytf.runtime.function_calls import FunctionPlans
from tinytf.runtime.iterations import Ready
from tinytf.runtime.learning import SEQUENTIAL, Parallelism, shardable
from tinytf.runtime.memory import keep_freed_memory
from tinytf.runtime.optimise import Passes
from tinytf.runtime.partition import Devices, partition_graphs
from tinytf.runtime.plan import Plan
from tinytf.runtime.pools import Helpers, InterOpPool, SessionPools
from tinytf.runtime.preparation import CompileRequest, Signature
from tinytf.runtime.pruning import prune
from tinytf.runtime.step import Step
from tinytf.runtime.thread_pool import ElasticPool
from tinytf.runtime.tracing import Trace, record_function
from tinytf.session.backend import Runner, register_backend
from tinytf.session.cost_graphs import CostGraphs
from tinytf.session.local_runner import make_runner
from tinytf.session.placing import SessionPlacer
from tinytf.session.results import finish, place_feeds

LOCAL_TASK = "/job:localhost/replica:0/task:0"


class LocalBackend:
    """Compiles and runs steps with the resources of one session.

    Args:
      graph: what is run. config: a `ConfigProto`, or None.
      resources: state shared with other backends (of one server); a fresh one by default.
      task: the full name of the task whose devices these are.
      devices: these devices; opened as `config` says by default.
    """

    #: Whether only what a step needs is placed, or the whole graph.
    place_pruned = False

    def __init__(
        self,
        graph: Graph,
        config: Any = None,
        resources: ResourceManager | None = None,
        task: str = LOCAL_TASK,
        devices: Sequence[Device] | None = None,
    ):
        self.graph = graph
        self.config = config or config_pb2.ConfigProto()
        self.resources = resources or ResourceManager()
        self._owns_resources = resources is None
        self.task = task
        self.session_tensors: SessionTensors | None = self.resources.session_tensors
        self.session_tensors.home = f"{task}/device:CPU:0"
        self.cancellation = CancellationManager()
        if devices is None:
            devices = open_devices(self.config, task, int.from_bytes(os.urandom(8), "little") or 1)
        self._lock = threading.Lock()
        self.placer = SessionPlacer(devices, task, self.config, self.place_pruned)
        self._streams, self._timed = ElasticPool("tinytf-stream"), ElasticPool("tinytf-step")
        self.pools = SessionPools(self.config)
        self._alone = Helpers(1, lambda function: False, self._offer_stream)
        self._helpers_of = {
            pool: Helpers(pool.threads, pool.offer, self._offer_stream, pool.withdraw)
            for pool in self.pools.inter_op
        }
        #: guarded by self._lock
        self._plans_on_devices: weakref.WeakSet[Plan] = weakref.WeakSet()
        self.functions = FunctionPlans(self.resources, self._compile_body)
        self._passes = Passes.of(self.config)
        keep_freed_memory()

    # The Backend interface --------------------------------------------------------------------

    def compile(self, signature: Signature) -> Runner:
        """See `Backend.compile`."""
        runner = make_runner(self, signature)
        costs = None if self.placer.by_cost is not None else CostGraphs.of(self.config)
        if costs is None:
            return runner
        return costs.around(runner, signature, f"{self.task}/device:CPU:0")

    def compiled(
        self,
        signature: Signature,
        watched: bool,
        resources: ResourceManager | None = None,
        parallelism: Parallelism = SEQUENTIAL,
        alone: bool = False,
    ) -> Plan:
        """The plan of a signature; `watched`: each of its nodes, for a trace or a deadline.

        `alone`: it is the whole step, not the body of a function in one.
        """
        record = record_function if watched else None
        request = CompileRequest(*signature, resources or self.resources, record=record)
        how = replace(request, passes=self._passes, parallelism=parallelism, alone=alone)
        return self._plan(how)

    def compiled_by_node(
        self, signature: Signature, resources: ResourceManager | None = None
    ) -> Plan:
        """The plan as instruments run it: one node at a time, unoptimised."""
        resources = resources or self.resources
        return self._plan(CompileRequest(*signature, resources, by_node=True))

    def start_partial(
        self, signature: Signature, cancellation: CancellationManager | None = None
    ) -> LocalPartialStep:
        """See `Backend.start_partial`."""
        plan = self._plan(CompileRequest(*signature, self.resources, partial=True))
        step = self.new_step(None, parent=cancellation)
        return LocalPartialStep(plan, step, self.config.operation_timeout_in_ms)

    def observe(
        self,
        signature: Signature,
        values: list[Any],
        make_observer: Callable[[Plan], executor.Observer],
        threads: int = 1,
        choose: Callable[[list[Ready]], int] | None = None,
    ) -> list[Any]:
        """See `Observable.observe`."""
        # Kernels that are large enough split their work here, too: it shall be seen.
        ends = [*(tensor.op for tensor in signature.fetches), *signature.targets]
        ops = prune(ends, frozenset(signature.feeds))
        intra_op = self.pools.intra_op_pool_for(ops)
        split = shardable(ops, intra_op)
        how = Parallelism(sharded=split, pool=intra_op, side_by_side=threads > 1)
        request = CompileRequest(*signature, self.resources, by_node=True)
        plan = self._plan(replace(request, parallelism=how))
        step = self.new_step(None)
        given, observer = place_feeds(plan, values), make_observer(plan)
        pool = InterOpPool(threads, "tinytf-watched")
        try:
            if threads == 1:
                running = executor.Executor(plan, step, given, observer, choose)
            else:
                from tinytf.runtime.parallel_executor import ParallelExecutor

                helpers = Helpers(threads, pool.offer, self._offer_stream, pool.withdraw)
                running = ParallelExecutor(plan, step, given, helpers, observer, choose)
            with _blas_for(plan):
                return finish(plan, executor.run_observed(running))
        finally:
            pool.close()
            step.close()

    def list_devices(self) -> list[DeviceAttributes]:
        """The devices of the task: its CPUs, then its GPUs."""
        return [device.attributes for device in self.placer.devices]

    @property
    def can_learn(self) -> bool:
        """Whether plans are compiled for several threads once costs are known."""
        if self.config.operation_timeout_in_ms > 0 or self.placer.by_cost is not None:
            return False
        return self.pools.of_step(None) is not None or self.pools.intra_op_pool is not None

    @property
    def cost_model(self) -> Any:
        """The placer by a cost model, with the costs it goes by; None if it was not asked for."""
        return self.placer.by_cost

    def placement(self, fetches: Sequence[Tensor] = ()) -> Placement:
        """Where operations are and why: those that `fetches` need, or all without any.

        Raises:
          InvalidArgumentError: if one cannot be placed.
        """
        with self._lock:
            placement = self.placer.placement(self.graph)
        if not fetches:
            return placement
        needed = {op.name for op in prune([tensor.op for tensor in fetches], frozenset())}
        kept = {name: d for name, d in placement.decisions.items() if name in needed}
        return replace(placement, decisions=kept)

    def close(self) -> None:
        """Cancel running steps and drop the session's own state."""
        self.cancellation.start_cancel(CancelledError("Session has been closed."))
        self._streams.shutdown()
        self._timed.shutdown()
        self.pools.close()
        self.functions.clear()
        if self._owns_resources:
            self.resources.clear_all()
        with self._lock:
            plans, self._plans_on_devices = self._plans_on_devices, weakref.WeakSet()
        for plan in plans:  # constants on GPUs are freed at once
            plan.release()

    def check_open(self) -> None:
        """Raise if the session was closed: what fails after that, fails because of it."""
        self.cancellation.check()

    # Steps --------------------------------------------------------------------------------------

    def new_step(
        self,
        options: Any,
        trace: Any = None,
        parent: CancellationManager | None = None,
        rendezvous: Rendezvous | None = None,
    ) -> Step:
        """The context of a step under `options` (a `RunOptions` or None).

        `parent` cancels the step; by default the end of the session does. A server passes the
        cancellation of the call it answers.
        """
        timeout = self.config.operation_timeout_in_ms
        if options is not None and options.timeout_in_ms:
            timeout = options.timeout_in_ms
        parent = self.cancellation if parent is None else parent
        deadline = deadline_after(timeout)
        step = Step(self.resources, self.graph, parent, deadline, trace, self.functions)
        step.rendezvous = rendezvous
        return step

    def _compile_body(
        self, body: Body, watched: bool, resources: ResourceManager, on_host: bool
    ) -> Plan:
        if on_host and not any("GPU" in op.device.upper() for op in body.graph.get_operations()):
            return self._compile_at_home(body, resources)
        return self.compiled(Signature(body.inputs, body.outputs, body.targets), watched, resources)

    def _compile_at_home(self, body: Body, resources: ResourceManager) -> Plan:
        """The body of a function, all of it on the first CPU whatever it asks for."""
        request = CompileRequest(*Signature(body.inputs, body.outputs, body.targets), resources)
        return self._plan(replace(request, place=lambda ops: None, passes=self._passes))

    def _plan(self, request: CompileRequest) -> Plan:
        """Compile, where it is not said otherwise for the devices of this session."""
        if request.place is None:
            request = replace(request, place=self._place)
        with self._lock:
            plan = compile_plan(request)
            if self.pools.holds_blas_for(plan.ops):
                plan.holds_blas = plan.needs_step = True
            if len(plan.lanes) > 1:
                self._plans_on_devices.add(plan)
            return plan

    def _place(self, ops: Sequence[Operation]) -> Devices | None:
        return self.placer.devices_of(ops)

    def run_step(
        self,
        plan: Plan,
        values: list[Any],
        options: Any,
        metadata: Any,
        trace: Trace | None,
        cancellation: CancellationManager | None = None,
        rendezvous: Rendezvous | None = None,
    ) -> list[Any]:
        """One run of a plan as a step, which can be cancelled, timed and traced.

        `rendezvous`: of a step that other tasks run parts of.
        """
        helpers = self._helpers(options)
        step = self.new_step(options, trace, cancellation, rendezvous)

        def run() -> list[Any]:
            with _blas_for(plan):
                try:
                    return finish(
                        plan, executor.run_plan(plan, place_feeds(plan, values), step, helpers)
                    )
                except CancelledError:
                    raise  # it says itself by what
                except Exception:
                    self.check_open()  # a closed session's plans are empty
                    raise

        if step.deadline is not None:
            from tinytf.runtime.timed import run_in_time

            results = run_in_time(step, run, self._timed.submit)
        else:
            try:
                results = run()
                if step.cancellation.is_cancelled:  # the session was closed meanwhile
                    raise step.cancellation_error()
            finally:
                step.close()
        is_asked = metadata is not None and options is not None and options.trace_level > 0
        if trace is not None and (is_asked or self.placer.is_measuring):
            measured = config_pb2.RunMetadata()
            trace.write_to(measured, f"{self.task}/device:CPU:0", plan.ops, plan.copies)
            self._learn(measured)
            if is_asked:
                metadata.MergeFrom(measured)
        if metadata is not None:
            if options is not None and options.output_partition_graphs:
                home = f"{self.task}/device:CPU:0"
                graphs = partition_graphs(plan.ops, home if plan.lanes == [""] else None)
                metadata.partition_graphs.extend(graphs)
        return results

    def _learn(self, measured: Any) -> None:
        if self.placer.is_measuring:
            with self._lock:
                self.placer.learn(measured)

    def _helpers(self, options: Any) -> Helpers:
        """The threads of a step under `options`."""
        pool = self.pools.of_step(options)
        return self._alone if pool is None else self._helpers_of[pool]

    def _offer_stream(self, function: Callable[[], None]) -> bool:
        try:
            self._streams.submit(function)
        except RuntimeError:  # the session was closed just now: the step does it all itself
            return False
        return True


def _blas_for(plan: Plan) -> AbstractContextManager[None]:
    """What a plan runs in: with BLAS held to one thread, if it is."""
    return blas.limit(1) if plan.holds_blas else nullcontext()


class LocalPartialStep:
    """A partial run on the local runtime; see `Backend.start_partial`.

    Args:
      timeout_in_ms: what each call of `run` may take; 0 for any time.
    """

    def __init__(self, plan: Plan, step: Step, timeout_in_ms: int):
        self._step = step
        self._timeout = timeout_in_ms
        self._plan = plan
        self._executor = executor.Executor(plan, step)
        self._units = {u.feed: u for u in plan.root.units if u.feed is not None}
        self._fed: set[Tensor] = set()
        self._slots = {fetch.tensor: fetch for fetch in plan.fetches}

    def run(
        self, feeds: dict[Tensor, Any], fetches: Sequence[Tensor], targets: Sequence[Operation]
    ) -> list[Any]:
        """See `PartialStep.run`."""
        self._step.deadline = deadline_after(self._timeout)
        for tensor, value in feeds.items():
            self._fed.add(tensor)
            self._executor.feed(self._units[tensor], value)
        try:
            with _blas_for(self._plan):
                self._executor.run()
        except BaseException as error:
            self._step.close()
            self._executor.values.clear()
            executor.let_go(error)
            raise
        if len(self._fed) == len(self._units):
            self._step.close()  # all of it has run: only values are left to be fetched
        values = []
        for tensor in fetches:
            value = self._executor.values[self._slots[tensor].slot]
            if value is None:
                raise self._cannot_compute(tensor)
            # Later parts of the run still use the value: the caller gets a copy of its own.
            take = self._slots[tensor].take or executor.read
            values.append(np.array(take(value), copy=True)[()])
        return values

    def __del__(self) -> None:
        self._step.close()
        self._executor.end()  # else its values stay until the collector comes

    def _cannot_compute(self, tensor: Tensor) -> InvalidArgumentError:
        missing = sorted(t.name for t in self._units if t is not None and t not in self._fed)
        return InvalidArgumentError(
            f"Fetch {tensor.name} can't be computed from the feeds that have been fed so far. "
            f"Not fed yet: {', '.join(missing) or 'none'}.",
            tensor.op,
        )


def _open_local(target: str, graph: Graph, config: Any, credentials: Any) -> LocalBackend:
    if credentials is not None:
        raise InvalidArgumentError(
            "`credentials` are for sessions on a server: this one has no target, so it runs here."
        )
    return LocalBackend(graph, config)


register_backend("", _open_local)
