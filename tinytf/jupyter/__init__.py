"""tinytf in a notebook: reprs, widgets, magics. `%load_ext tinytf` loads the magics.

cells      error origins that name the cell
layout     where nodes and edges go
picture    what of a graph is drawn
svg        the drawing
reprs      what Graph, Tensor and Operation show
recording  one step of the executor, written down (recorder, needs, steering, words)
counters   the widget that plays it; trace: what the browser gets of it
pools      the same step as lanes of threads and streams; pools_picture: the drawing
cockpit_widget  all views of one run beside each other, with one clock
optimised  a step's graph before and after optimisation
step_parts a step cut into tasks: parts_model, drawn by parts_picture
placed     where operations are and why; what of it is drawn: placed_picture, how: rooms
graph_view a graph to look around in: its nodes and tree, and the widget
curves     scalar summaries out of event files
timelines  when everything in a step happened; laid out by timeline_picture
fleet_view the trials of a fleet, while they run
virtual    the same of a step that is simulated, on devices that are not there
live       looks again and again while a program runs: queue_view, pipeline_view, live_widgets
smi_magic  %smi, GPUs and who uses them; stuck_magic: %why_stuck
cluster_view   a cluster as it is, drawn by cluster_picture, followed by cluster_widget
cluster_magic  %cluster; cluster_tables: what lives on its tasks
scaling_widget  a simulated cluster to play with, drawn by scaling_picture
lens_widget    training by several workers as it is; staleness_picture: a picture of its log
measured_cluster  a real one of this machine, measured beside what the simulation says
lessons    what lessons need again and again; pace: how fast each chapter trains the digits
predictions a question that a cell asks, with predict_widget; predict_magic: %%predict
task_magic %%task, a cell that runs in tasks' own processes; task_output: what they print

Importing this package needs neither IPython nor widgets; `watch` imports them when it is called.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tinytf.jupyter.curves import Curve, Curves, curves
from tinytf.jupyter.fleet_view import fleet
from tinytf.jupyter.graph_view import GraphView, graph
from tinytf.jupyter.lessons import attempt, elements, ratio
from tinytf.jupyter.optimised import Optimised, optimised
from tinytf.jupyter.pace import Pace, pace
from tinytf.jupyter.placed import Placed, placed
from tinytf.jupyter.reprs import Drawing, draw
from tinytf.jupyter.staleness_picture import StalenessMap, staleness_map

if TYPE_CHECKING:
    from tinytf.jupyter.cluster_widget import ClusterWidget
    from tinytf.jupyter.cockpit_widget import Cockpit
    from tinytf.jupyter.counters import CountersWidget
    from tinytf.jupyter.lens_widget import LensWidget
    from tinytf.jupyter.live_widgets import PipelineWidget, QueueWidget
    from tinytf.jupyter.pools import PoolsWidget
    from tinytf.jupyter.scaling_widget import ScalingWidget
    from tinytf.jupyter.step_parts import Parts
    from tinytf.jupyter.timelines import Timeline
    from tinytf.jupyter.virtual_step import Virtual
    from tinytf.simulation.own_cluster import Comparison
    from tinytf.training.staleness import StalenessOptimizer
    from tinytf.training.sync_replicas.optimizer import SyncReplicasOptimizer

__all__ = ["Curve", "Curves", "Drawing", "GraphView", "Optimised", "Pace", "Placed", "attempt"]
__all__ += ["cluster", "cockpit", "curves", "draw", "elements", "fleet", "graph", "lens"]
__all__ += ["load_ipython_extension", "optimised", "own_cluster", "pace", "parts", "pipeline"]
__all__ += ["placed", "queue", "ratio", "scaling", "staleness_map", "threads", "timeline"]
__all__ += ["StalenessMap", "unload_ipython_extension", "virtual", "watch"]


def watch(
    fetches: Any, feed_dict: Any = None, session: Any = None, threads: int = 1, order: Any = None
) -> CountersWidget:
    """Run a step once and show it as a widget: dependency counters counting down.

    The step really happens, in the session given, on the real executor; for the widget it runs one
    operation at a time and unoptimised. In the browser it can be played, stepped forth and back,
    guessed ("what is next?"), and scheduled anew.

    Args:
      fetches, feed_dict: as for `Session.run`.
      session: a local session; default: the default one.
      threads: how many inter-op threads run the step, the calling one included.
      order: which ready operation is taken next: a list of names ("name#2" is the one in iteration
        2 of a loop; after its end, and by default, the oldest first), or the seed of a random
        order. With several threads, of those that are ready the one that is named first.

    Returns:
      the widget; `widget.values` is what `session.run` would have returned. Where no widget can be
      shown, its final state is drawn, with a table of what happened.

    Raises:
      ValueError: for an order with an operation that is not in the step, or is not ready when its
        turn comes; for a session of another graph.
      UnimplementedError: if the session's steps run on a server.
      ModuleNotFoundError: if the widgets of the `course` extra are not installed.
      What the step raises; the part that ran is shown first.

    Example:
      >>> tinytf.jupyter.watch(total, {x: 3.0})  # doctest: +SKIP
    """
    _check_widgets()
    from tinytf.jupyter.counters import watch as watch_step

    return watch_step(fetches, feed_dict, session, threads, order)


def cockpit(fetches: Any, feed_dict: Any = None, session: Any = None, threads: int = 2) -> Cockpit:
    """Run a step once and show it in all instruments at once, with one clock.

    In a local session: the graph with its counters, the ready queue, the threads and the timeline;
    the step runs as for `watch`. In a session on a cluster: the parts of the step, the cluster, in
    which a task that is clicked can be killed and started again, and the timeline. One button
    plays them all; whatever is done to the time in one view, all follow; an operation that is
    chosen in one is shown by all. To keep a cockpit beside the notebook while cells run:
    right-click it, Create New View for Cell Output.

    Args:
      fetches, feed_dict: as for `Session.run`. session: default: the default one.
      threads: how many inter-op threads run the step in a local session.

    Returns:
      the widget; `.values` is what `session.run` would have returned.

    Raises:
      ValueError: for a session of another graph. ModuleNotFoundError: as `watch`.
      What the step raises; of a local session, the part that ran is shown first.

    Example:
      >>> tinytf.jupyter.cockpit(loss, {x: images})  # doctest: +SKIP
    """
    _check_widgets()
    from tinytf.jupyter.cockpit_widget import cockpit as show_all

    return show_all(fetches, feed_dict, session, threads)


def timeline(
    what: Any, feed_dict: Any = None, session: Any = None, steps: int = 1, most: int = 20_000
) -> Timeline:
    """When everything in a step happened: run it with a full trace, or show what was traced.

    Args:
      what: fetches, as for `Session.run`: the step is run, optimised as ever; or a `RunMetadata` or
        `StepStats` of steps that have run (a real TensorFlow's will do), alone or in a list.
      feed_dict: as for `Session.run`. session: default: the default one.
      steps: how often to run it. most: how many boxes the picture has at most.

    Returns:
      the timeline: a widget in a notebook. `.save("trace.json")` writes a file for Perfetto and
      chrome://tracing, `.table()` is a text with all times, `.svg()` a drawing, `.values` what the
      last step fetched.

    Raises:
      ValueError: for fewer than one step, and for a session of another graph.
      What the step raises.

    Example:
      >>> tinytf.jupyter.timeline(loss, {x: images}, steps=3)  # doctest: +SKIP
    """
    from tinytf.jupyter.timelines import timeline as make

    return make(what, feed_dict, session, steps, most)


def virtual(
    fetches: Any, feed_dict: Any = None, *, bandwidth: float = 1.25e9, latency: float = 2e-4
) -> Virtual:
    """Simulate one step of a graph with its operations where `tf.device` puts them.

    Nothing is run, and none of the devices has to be there: what operations cost comes from their
    types and shapes (docs/cost_model.md), so that the same graph always takes the same time. All
    devices are equally fast; what asks for none is on the first that is asked for.

    Args:
      fetches: as for `Session.run`. feed_dict: what is fed; only which tensors these are counts.
      bandwidth: bytes a second between two devices; default: 10 gigabit Ethernet.
      latency: seconds that a tensor is on its way, however small it is.

    Returns:
      the step as a timeline; its `repr` says how long it takes and who computes how much of that.

    Raises:
      ValueError: for a bandwidth that is not above 0, or a latency below 0.
      TypeError, ValueError: for what cannot be fetched, as `Session.run` does.

    Example:
      >>> tinytf.jupyter.virtual(tf.matmul(tf.zeros([1000, 1000]), tf.zeros([1000, 1000])))
      Simulated: 40.4 ms. Computing: CPU:0 100% of the time. 0 tensors travel.
    """
    from tinytf.jupyter.virtual_step import virtual as make

    return make(fetches, feed_dict, bandwidth, latency)


def parts(fetches: Any, session: Any = None, feed_dict: Any = None) -> Parts:
    """The partition view: a step before and after Send and Recv, task by task.

    The step is run once, traced; its session may be on our own servers or on a real TensorFlow's.

    Args:
      fetches: as for `Session.run`; or a `RunMetadata` of a step that has run with
        `tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)`.
      session: of a cluster; default: the default one. feed_dict: as for `Session.run`.

    Returns:
      what travels, with bytes (`.transfers`), as text, a drawing (`.svg()`), and in a notebook a
      widget with a switch between the graph before, the parts after, and the bytes of a 16-bit
      transfer. `.values` is what the step fetched.

    Raises:
      ValueError: without a session, or if the step left no partition graphs.
      What the step raises.

    Example:
      >>> with tf.Session(cluster.target("worker:0")) as sess:  # doctest: +SKIP
      ...     tinytf.jupyter.parts(loss, sess)
    """
    from tinytf.jupyter.step_parts import parts as make

    return make(fetches, session, feed_dict)


def scaling(**chosen: Any) -> ScalingWidget:
    """Play with a simulated cluster: how training scales, and what it is that holds it up.

    Workers, parameter servers, backup workers, the network, the model and how machines differ can
    be chosen; shown are the speed-up by the number of workers, what the workers do in virtual time,
    and how stale gradients are or how long workers wait. See `tinytf.simulation`.

    Args:
      chosen: what it begins with: `workers`, `ps`, `backup` and `compute` (seconds) are numbers,
        the nearest that can be chosen is taken; `bits` is 32 or 16, `bandwidth` in bytes a
        second or as text in Gbit/s ("10"), `mode` "synchronous" or "asynchronous", `published`
        whether published speed-ups are shown; `model` and `stragglers` are texts of the widget.

    Returns:
      the widget; `.training` is what was simulated: see `tinytf.simulation.training_result`.

    Raises:
      ValueError: for what cannot be chosen. ModuleNotFoundError: as `watch`.

    Example:
      >>> tinytf.jupyter.scaling(workers=4, ps=1, model="1 million").training.cluster.workers
      4
    """
    _check_widgets()
    from tinytf.jupyter.scaling_widget import scaling as make

    return make(**chosen)


def own_cluster(
    build: Callable[[], Any], workers: int = 3, steps: int = 50, batch: int = 1
) -> Comparison:
    """Train on this machine's processes, and compare with what a simulation predicts.

    A cluster with one parameter server is started. With one worker it is measured how long a step
    takes with the variables on the worker, with the variables on the parameter server and how busy
    that keeps the processor, and how long a single number takes from there. On these the simulation
    is calibrated; it predicts asynchronous training with more workers, who share the processor's
    cores; and they train.

    Args:
      build: builds a network in the default graph, its data included, and returns the training
        operation. It is called for each worker.
      workers: up to how many. steps: of each. batch: images of a step.

    Returns:
      steps a second, predicted and measured, as a table.

    Raises:
      ValueError: for fewer than one worker or step. What building and training raise.

    Example:
      >>> tinytf.jupyter.own_cluster(build_network, workers=3)  # doctest: +SKIP
    """
    from tinytf.jupyter.measured_cluster import own_cluster as measure_own

    return measure_own(build, workers, steps, batch)


def _check_widgets() -> None:
    if find_spec("anywidget") is None:
        raise ModuleNotFoundError(
            "The widgets are not installed. Type:  pip install 'tinytf[course]'", name="anywidget"
        )


def threads(
    fetches: Any, feed_dict: Any = None, session: Any = None, threads: int = 2, order: Any = None
) -> PoolsWidget:
    """Run a step once and show the thread pools: what waits, and which thread runs what.

    For each device the inter-op threads (the calling one is one of them) and the intra-op threads,
    or the stream of a GPU. As for `watch`, the step really happens, unoptimised, and each thread
    runs one operation at a time.

    Args:
      fetches: as for `Session.run`; or what `watch` has returned: then nothing is run, and both
        widgets show the same event of that step.
      feed_dict, session, threads, order: as for `watch`.

    Returns:
      the widget; `widget.values` is what `session.run` would have returned.

    Raises:
      as `watch`.

    Example:
      >>> watched = tinytf.jupyter.watch(total, threads=2)  # doctest: +SKIP
      >>> tinytf.jupyter.threads(watched)  # doctest: +SKIP
    """
    _check_widgets()
    from tinytf.jupyter.pools import threads as show_threads

    return show_threads(fetches, feed_dict, session, threads, order)


def queue(queue: Any, session: Any = None) -> QueueWidget:
    """Show a queue as it is, while the program runs: a live widget.

    What it holds, its capacity, who waits to put in or to take out, whether it is closed and why,
    and how full it has been. It follows what any thread does, also in the middle of a cell.

    Args:
      queue: a `tf.QueueBase`. session: a local session; default: the default one.

    Returns:
      the widget; its `repr` is the state as text. It looks on until the session or it is closed.

    Raises:
      TypeError: if it is not a queue. UnimplementedError: if the session's steps run on a server.
      ModuleNotFoundError: if the widgets of the `course` extra are not installed.

    Example:
      >>> tinytf.jupyter.queue(q, sess)  # doctest: +SKIP
    """
    _check_widgets()
    from tinytf.jupyter.live_widgets import QueueWidget
    from tinytf.jupyter.pipeline_view import local, queue_handle

    return QueueWidget(local(session), queue_handle(queue))


def pipeline(fetches: Any = None, session: Any = None) -> PipelineWidget:
    """Show an input pipeline as it is, while the program runs: a live widget.

    Readers, queues and the stages of tf.data, from the files to what your program fetches: how many
    elements each has given and gives in a second, how full each queue and buffer is and has been,
    and who waits.

    Args:
      fetches: only what these need, as for `Session.run`; by default all of the graph.
      session: a local session; default: the default one.

    Returns:
      the widget; its `repr` is the state as text. It looks on until the session or it is closed.

    Raises:
      ValueError: if there is no queue, reader or iterator. UnimplementedError, ModuleNotFoundError:
        as `queue`.

    Example:
      >>> tinytf.jupyter.pipeline([images, labels], sess)  # doctest: +SKIP
    """
    _check_widgets()
    from tinytf.jupyter.live_widgets import PipelineWidget
    from tinytf.jupyter.pipeline_view import local, stations_for

    found = local(session)
    return PipelineWidget(found, stations_for(found, fetches))


def lens(optimizer: StalenessOptimizer | SyncReplicasOptimizer, session: Any = None) -> LensWidget:
    """Show training by several workers as it is, while it goes on: a live widget.

    A lane for each worker. Asynchronous training: the versions of the variables from left to right,
    each gradient is a bar, from the version that its worker read to the one that it changed; beside
    it, how many were how many updates old, their mean, and N - 1, what is to be expected of N
    workers. Synchronous training: time from left to right, what each worker computes and how long
    it waits, a bar through all lanes where a step is made, and what came too late for it; beside
    it, how they spend their time. The last gradients can be played back.

    Args:
      optimizer: a `tinytf.training.staleness.StalenessOptimizer`, or a
        `tf.train.SyncReplicasOptimizer`; after `minimize`; any worker's: they share what it sees.
      session: in which it looks, of whatever cluster; default: the default one. A session of its
        own, `tf.Session(server.target)`, can look on while others train.

    Returns:
      the widget; its `repr` is the state as text. It looks on until the session or it is closed.

    Raises:
      TypeError: if it is no such optimizer. ValueError: before `minimize`.
      ModuleNotFoundError: if the widgets of the `course` extra are not installed.

    Example:
      >>> tinytf.jupyter.lens(optimizer, sess)  # doctest: +SKIP
    """
    _check_widgets()
    from tinytf.jupyter.lens_widget import lens as look

    return look(optimizer, session)


def cluster(cluster_or_address: Any, credentials: Any = None) -> ClusterWidget:
    """Show a cluster as it is, while programs run on it: a live widget.

    Jobs and tasks (serving, paused, ended), devices, variables with their bytes, how many bytes
    went from each task to each other one, and who is the master of which session. What happened is
    kept, to be played again; a task of a local cluster that is chosen can be killed and started
    again. To keep it in sight: right-click it, Create New View for Cell Output.

    Args:
      cluster_or_address: a `tinytf.LocalCluster`, a `tf.train.ClusterSpec` (or a dict, as for
        that), a `tf.train.Server`, or the address of any task: "grpc://localhost:2222".
      credentials: as of `tf.Session`, for servers that want TLS.

    Returns:
      the widget; its `repr` is the state as text, `.seen` as plain values. It looks on, once a
      second, until it is closed or the local cluster is stopped or gone.

    Raises:
      TypeError: if it is no cluster. UnavailableError: if there is nobody at an address.
      ModuleNotFoundError: if the widgets of the `course` extra are not installed.

    Example:
      >>> tinytf.jupyter.cluster(cluster)  # doctest: +SKIP
    """
    _check_widgets()
    from tinytf.jupyter.cluster_widget import ClusterWidget

    return ClusterWidget(cluster_or_address, credentials)


def attach_to_notebook() -> None:
    """Called by `import tinytf`: in a running IPython, attach the reprs and the names of cells.

    Example:
      >>> tinytf.jupyter.attach_to_notebook()  # without a notebook it does nothing
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        _attach(shell)


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext tinytf` calls: reprs, the names of cells, and the magics.

    Example:
      >>> tinytf.jupyter.load_ipython_extension(get_ipython())  # doctest: +SKIP
    """
    _attach(shell)
    from tinytf.compatibility import magics
    from tinytf.jupyter.cluster_magic import ClusterMagics
    from tinytf.jupyter.predict_magic import PredictMagics
    from tinytf.jupyter.smi_magic import SmiMagics
    from tinytf.jupyter.stuck_magic import StuckMagics
    from tinytf.jupyter.task_magic import TaskMagics

    shell.register_magics(ClusterMagics, PredictMagics, SmiMagics, StuckMagics, TaskMagics)
    magics.register(shell)


def unload_ipython_extension(shell: Any) -> None:
    """What `%unload_ext tinytf` calls: the plain reprs are back. Magics stay known to IPython.

    Example:
      >>> tinytf.jupyter.unload_ipython_extension(get_ipython())  # doctest: +SKIP
    """
    from tinytf.jupyter import cells, reprs

    reprs.detach()
    cells.detach()


def _attach(shell: Any) -> None:
    from tinytf.jupyter import cells, reprs

    reprs.attach()
    cells.attach(shell)
