"""Accumulators, critical sections, barriers, staging areas, and queues of the old op types."""

import importlib

from tests.conformance.nodes import Shapes, node
from tests.conformance.registry import Program, case


def data_flow(tf):
    """The classes that have no public name."""
    return importlib.import_module(f"{tf.__name__.split('.')[0]}.python.ops.data_flow_ops")


def op(tf, op_type, inputs=(), **attrs):
    """A node: its outputs, its only output, or the operation if it has none."""
    outputs = node(tf, op_type, list(inputs), **attrs)
    if not outputs:
        return tf.get_default_graph().get_operations()[-1]
    return outputs[0] if len(outputs) == 1 else outputs


# Accumulators -------------------------------------------------------------------------------------


@case(
    "ResourceConditionalAccumulator",
    "ResourceAccumulatorApplyGradient",
    "ResourceAccumulatorTakeGradient",
    "ResourceAccumulatorNumAccumulated",
    each=["MEAN", "SUM"],
)
def accumulate(tf, reduction):
    total = tf.ConditionalAccumulator(tf.float32, shape=[2], reduction_type=reduction)
    adds = [total.apply_grad([1.0, 2.0]), total.apply_grad(tf.constant([3.0, 5.0]), local_step=4)]
    count = total.num_accumulated()
    with tf.control_dependencies([count]):
        mean = total.take_grad(2)
    return Program([count, mean], setup=adds)


@case("ResourceAccumulatorApplyGradient", each=["float16", "float32", "float64"])
def accumulate_of_any_shape(tf, dtype):
    total = tf.ConditionalAccumulator(dtype)
    adds = [total.apply_grad(tf.constant([[1, 2]], dtype)) for _ in range(3)]
    return Program(total.take_grad(tf.constant(2)), setup=adds)


@case("ResourceAccumulatorSetGlobalStep")
def stale_gradients_are_dropped(tf):
    total = tf.ConditionalAccumulator(tf.float32, shape=[], name="total")
    setup = [
        total.set_global_step(3),
        total.apply_grad(1.0, local_step=2),
        total.apply_grad(2.0, local_step=3),
        total.apply_grad(4.0, local_step=9),
    ]
    count = total.num_accumulated(name="count")
    with tf.control_dependencies([count]):
        return Program([count, total.take_grad(1, name="take")], setup=setup)


@case(
    "ConditionalAccumulator",
    "AccumulatorApplyGradient",
    "AccumulatorTakeGradient",
    "AccumulatorNumAccumulated",
    "AccumulatorSetGlobalStep",
)
def accumulate_by_reference(tf):
    dtype = tf.float64
    shape = tf.AttrValue(shape=tf.TensorShape([2]).as_proto())
    handle = op(tf, "ConditionalAccumulator", dtype=dtype, shape=shape)
    step, four = tf.constant(0, tf.int64), tf.constant(4, tf.int64)
    gradient = tf.constant([1.0, 2.0], dtype)
    setup = [
        op(tf, "AccumulatorApplyGradient", [handle, step, gradient], dtype=dtype),
        op(tf, "AccumulatorSetGlobalStep", [handle, four]),
        op(tf, "AccumulatorApplyGradient", [handle, step, gradient], dtype=dtype),
        op(tf, "AccumulatorApplyGradient", [handle, four, gradient], dtype=dtype),
    ]
    count = op(tf, "AccumulatorNumAccumulated", [handle])
    with tf.control_dependencies([count]):
        mean = op(tf, "AccumulatorTakeGradient", [handle, tf.constant(2)], dtype=dtype)
    return Program([count, mean], setup=setup)


@case(
    "SparseConditionalAccumulator",
    "SparseAccumulatorApplyGradient",
    "SparseAccumulatorTakeGradient",
    each=["MEAN", "SUM"],
)
def accumulate_rows(tf, reduction):
    rows = tf.SparseConditionalAccumulator(tf.float32, reduction_type=reduction)
    setup = [
        rows.apply_grad([1, 2], [[1.0, 2.0], [3.0, 4.0]], [4, 2]),
        rows.apply_grad([0, 2], [[10.0, 20.0], [30.0, 40.0]]),
        rows.apply_grad(tf.constant([3], tf.int64), tf.constant([[7.0, 9.0]]), local_step=1),
    ]
    return Program(list(rows.take_grad(3)), setup=setup)


@case("SparseAccumulatorApplyGradient", "AccumulatorNumAccumulated", "AccumulatorSetGlobalStep")
def accumulate_slices(tf):
    rows = tf.SparseConditionalAccumulator(tf.float64, shape=[4, 2])
    values = tf.constant([[1.0, 2.0], [3.0, 4.0]], tf.float64)
    slices = tf.IndexedSlices(values, tf.constant([1, 3]), tf.constant([4, 2]))
    setup = [
        rows.set_global_step(1),
        rows.apply_indexed_slices_grad(slices, local_step=0),
        rows.apply_indexed_slices_grad(slices, local_step=1),
    ]
    count = rows.num_accumulated()
    with tf.control_dependencies([count]):
        taken = rows.take_indexed_slices_grad(1)
    return Program([count, taken.indices, taken.values, taken.dense_shape], setup=setup)


@case("ResourceAccumulatorApplyGradient", error="Shape mismatch: expected [2], got [3]")
def a_gradient_of_another_shape(tf):
    total = tf.ConditionalAccumulator(tf.float32, shape=[2])
    x = tf.placeholder(tf.float32)
    return Program(total.apply_grad(x), feed={x: [1.0, 2.0, 3.0]})


@case("ResourceAccumulatorTakeGradient", error="Argument num_required must be positive, but was 0")
def taking_after_no_gradient(tf):
    return tf.ConditionalAccumulator(tf.float32, shape=[2]).take_grad(0)


@case("SparseAccumulatorApplyGradient", error="Expected 1 non-empty input values, got 2")
def rows_without_index(tf):
    rows = tf.SparseConditionalAccumulator(tf.float32)
    return rows.apply_grad([1], [[1.0], [2.0]])


@case("SparseAccumulatorApplyGradient", error="exceeded limits of shape; index is 4 exceeded 4")
def a_row_out_of_range(tf):
    rows = tf.SparseConditionalAccumulator(tf.float32, shape=[4, 1])
    return rows.apply_grad([1, 4], [[1.0], [2.0]])


@case("ResourceConditionalAccumulator", error="No OpKernel was registered")
def accumulate_integers(tf):
    return tf.ConditionalAccumulator(tf.int32, shape=[2]).num_accumulated()


# Critical sections --------------------------------------------------------------------------------


def counter(tf, v):
    def count():
        value = v.read_value()
        with tf.control_dependencies([value]), tf.control_dependencies([v.assign_add(1.0)]):
            return tf.identity(value)

    return count


@case("MutexV2", "MutexLock", "ConsumeMutexLock")
def take_turns(tf):
    v = tf.get_variable("v", initializer=0.0, use_resource=True)
    section = tf.CriticalSection()
    first = section.execute(counter(tf, v))
    with tf.control_dependencies([first]):
        second = section.execute(counter(tf, v), name="second")
    return Program([first, second], setup=[v.initializer], runs=2)


@case("MutexLock")
def a_section_with_arguments(tf):
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    step = tf.multiply(tf.constant(3.0), 2.0, name="step")
    section = tf.CriticalSection(name="section", shared_name="shared")
    result = section.execute(lambda: {"new": v.assign_add(step) + 0.0, "rest": [step]})
    return Program(result, setup=[v.initializer])


@case("ConsumeMutexLock")
def a_section_of_an_operation(tf):
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    section = tf.CriticalSection()
    done = section.execute(lambda: tf.group(v.assign(5.0)))
    with tf.control_dependencies([done]):
        return Program(v.read_value() + 0.0, setup=[v.initializer])


@case("MutexV2", error="Attempting to lock a CriticalSection")
def a_section_in_itself(tf):
    section = tf.CriticalSection()
    return section.execute(lambda: section.execute(lambda: tf.constant(1)))


@case("MutexV2", error="requested exclusive resource access of this resource")
def two_sections_of_one_variable(tf):
    v = tf.get_variable("v", initializer=0.0, use_resource=True)
    tf.CriticalSection().execute(counter(tf, v))
    return tf.CriticalSection().execute(counter(tf, v))


# Barriers -----------------------------------------------------------------------------------------


@case(
    "Barrier", "BarrierInsertMany", "BarrierTakeMany", "BarrierReadySize", "BarrierIncompleteSize"
)
def barrier(tf):
    both = data_flow(tf).Barrier((tf.string, tf.int32), shapes=((), (2,)))
    setup = [
        both.insert_many(0, keys=["k1", "k2"], values=["a", "b"]),
        both.insert_many(1, keys=["k1"], values=[[1, 2]]),
        both.insert_many(0, keys=["k3"], values=["c"]),
        both.insert_many(1, keys=["k3"], values=[[3, 4]]),
    ]
    sizes = [both.ready_size(), both.incomplete_size()]
    with tf.control_dependencies(sizes):
        taken = both.take_many(2)
    return Program([*sizes, taken.indices, taken.keys, *taken.values], setup=setup)


@case("BarrierClose", "BarrierTakeMany")
def a_closed_barrier_gives_few(tf):
    single = data_flow(tf).Barrier(tf.float32, shapes=())
    setup = [single.insert_many(0, ["x", "y"], [1.0, 2.0]), single.close()]
    taken = single.take_many(5, allow_small_batch=True, name="rest")
    return Program([taken.keys, taken.values[0]], setup=setup)


@case(
    "BarrierTakeMany", error="is closed and has insufficient elements (requested 1, total size 0)"
)
def a_closed_barrier_is_empty(tf):
    single = data_flow(tf).Barrier(tf.float32, shapes=())
    return Program(single.take_many(1).values[0], setup=[single.close()])


@case("BarrierInsertMany", error="already has a value for component 0 in barrier")
def a_component_twice(tf):
    both = data_flow(tf).Barrier((tf.string, tf.int32), shapes=((), ()))
    insert = both.insert_many(0, ["k"], ["a"])
    return Program(insert, runs=2)


@case("BarrierInsertMany", error="but attempted to insert a brand new key: new.")
def a_new_key_for_a_closed_barrier(tf):
    both = data_flow(tf).Barrier((tf.string, tf.int32), shapes=((), ()))
    setup = [both.insert_many(0, ["k"], ["a"]), both.close()]
    return Program(both.insert_many(0, ["new"], ["a"]), setup=setup)


@case("BarrierClose", error="is already closed.")
def closing_a_barrier_twice(tf):
    return Program(data_flow(tf).Barrier(tf.int32, shapes=()).close(), runs=2)


@case("BarrierInsertMany", error="Dimension 0 in both shapes must be equal, but are 2 and 1.")
def keys_without_values(tf):
    return data_flow(tf).Barrier(tf.int32, shapes=()).insert_many(0, ["a", "b"], [1])


@case("Barrier", error="Barrier only accepts capacity=-1.")
def a_barrier_with_capacity(tf):
    handle = op(tf, "Barrier", component_types=(tf.int32,), shapes=Shapes([]), capacity=3)
    return op(tf, "BarrierReadySize", [handle])


# Staging areas ------------------------------------------------------------------------------------


@case("Stage", "Unstage", "StageSize")
def stage(tf):
    area = data_flow(tf).StagingArea([tf.float32, tf.string], shapes=[[2], []], capacity=3)
    put = area.put([tf.constant([1.0, 2.0]), tf.constant("a")])
    other = area.put([tf.constant([3.0, 4.0]), tf.constant("b")])
    size = area.size()
    with tf.control_dependencies([size]):
        return Program([size, area.get()], setup=[put, other], runs=2)


@case("StagePeek", "StageClear")
def look_into_a_staging_area(tf):
    area = data_flow(tf).StagingArea([tf.int32], names=["n"], memory_limit=100)
    puts = [area.put({"n": tf.constant(n)}) for n in (3, 5)]
    seen = area.peek(1)
    with tf.control_dependencies([seen["n"]]):
        clear = area.clear()
    with tf.control_dependencies([clear]):
        return Program([seen, area.size()], setup=puts)


@case("Stage", error="bytes into Staging Area with a memory limit of '8'")
def more_bytes_than_ever_fit(tf):
    return data_flow(tf).StagingArea([tf.float32], memory_limit=8).put([tf.ones([3])])


@case("Unstage", error="Mismatch stage/unstage: 1 vs. 2")
def a_staged_element_with_other_components(tf):
    area = data_flow(tf).StagingArea([tf.float32, tf.int32])
    return Program(area.get(), setup=[area.put([tf.constant(1.0)])])


@case("MapStage", "MapUnstage", "MapSize", "MapPeek", "MapIncompleteSize")
def stage_by_key(tf):
    return by_key(tf, ordered=False)


@case(
    "OrderedMapStage",
    "OrderedMapUnstage",
    "OrderedMapSize",
    "OrderedMapPeek",
    "OrderedMapIncompleteSize",
)
def stage_by_key_in_order(tf):
    return by_key(tf, ordered=True)


def by_key(tf, ordered):
    area = data_flow(tf).MapStagingArea([tf.float32, tf.int32], shapes=[[], []], ordered=ordered)
    key = tf.constant(7, tf.int64)
    setup = [
        area.put(tf.constant(9, tf.int64), [tf.constant(0.5), tf.constant(1)], [0, 1]),
        area.put(key, [tf.constant(2.5)], [0]),
    ]
    sizes = [area.size(), area.incomplete_size()]
    with tf.control_dependencies(sizes):
        whole = area.put(key, [tf.constant(4)], [1])
    with tf.control_dependencies([whole]):
        seen = area.peek(7, indices=[1])
    with tf.control_dependencies(seen):
        taken = area.get(key)
    return Program([sizes, seen, taken], setup=setup)


@case("OrderedMapUnstageNoKey", "OrderedMapClear")
def the_smallest_key_first(tf):
    area = data_flow(tf).MapStagingArea([tf.float32], ordered=True)
    setup = [area.put(tf.constant(k, tf.int64), [tf.constant(k / 2)], [0]) for k in (5, 3, 4)]
    first = area.get()
    with tf.control_dependencies([first[0]]):
        clear = area.clear()
    with tf.control_dependencies([clear]):
        return Program([first, area.size()], setup=setup)


@case("MapUnstageNoKey", "MapClear")
def the_only_key(tf):
    area = data_flow(tf).MapStagingArea([tf.float32, tf.int32], names=["x", "n"])
    put = area.put(tf.constant(5, tf.int64), {"n": tf.constant(1), "x": tf.constant(0.5)})
    some = area.get(indices=["n"])
    with tf.control_dependencies([some[0]]):
        clear = area.clear()
    with tf.control_dependencies([clear]):
        return Program([some, area.size()], setup=[put])


@case("MapPeek", error="Indices are not strictly ordered")
def indices_in_another_order(tf):
    area = data_flow(tf).MapStagingArea([tf.float32, tf.int32])
    put = area.put(tf.constant(5, tf.int64), [tf.constant(0.5), tf.constant(1)], [0, 1])
    return Program(area.peek(5, indices=[1, 0]), setup=[put])


@case("MapStage", error="The tensor for index '0' for key '5' was already initialized '2'.")
def a_staged_component_twice(tf):
    area = data_flow(tf).MapStagingArea([tf.float32, tf.int32])
    return Program(area.put(tf.constant(5, tf.int64), [tf.constant(0.5)], [0]), runs=2)


@case("MapUnstage", error="Tensor at index '1' for key '5' has already been removed.")
def a_component_that_is_gone(tf):
    area = data_flow(tf).MapStagingArea([tf.float32, tf.int32])
    put = area.put(tf.constant(5, tf.int64), [tf.constant(0.5), tf.constant(1)], [0, 1])
    get = area.get(tf.constant(5, tf.int64), indices=[1])
    return Program(get[1], setup=[put], runs=2)


# Queues of the old op types -----------------------------------------------------------------------


@case(
    "FIFOQueue", "QueueEnqueue", "QueueEnqueueMany", "QueueDequeue", "QueueDequeueMany", "QueueSize"
)
def an_old_queue(tf):
    types = (tf.float32, tf.string)
    queue = op(tf, "FIFOQueue", component_types=types, shapes=Shapes([], [2]), capacity=5)
    one = [tf.constant(1.0), tf.constant(["a", "b"])]
    two = [tf.constant([2.0, 3.0]), tf.constant([["c", "d"], ["e", "f"]])]
    setup = [
        op(tf, "QueueEnqueue", [queue, *one], Tcomponents=types),
        op(tf, "QueueEnqueueMany", [queue, *two], Tcomponents=types),
    ]
    size = op(tf, "QueueSize", [queue])
    with tf.control_dependencies([size]):
        first = op(tf, "QueueDequeue", [queue], component_types=types)
    with tf.control_dependencies(first):
        rest = op(tf, "QueueDequeueMany", [queue, tf.constant(2)], component_types=types)
    return Program([size, first, rest], setup=setup)


@case("QueueClose", "QueueDequeueUpTo", "QueueIsClosed")
def an_old_queue_is_closed(tf):
    types = (tf.int32,)
    queue = op(tf, "FIFOQueue", component_types=types, shapes=Shapes([]))
    setup = [
        op(tf, "QueueEnqueueMany", [queue, tf.constant([1, 2, 3])], Tcomponents=types),
        op(tf, "QueueClose", [queue]),
    ]
    rest = op(tf, "QueueDequeueUpTo", [queue, tf.constant(7)], component_types=types)
    return Program([rest, op(tf, "QueueIsClosed", [queue])], setup=setup)


@case("QueueDequeue", error="is closed and has insufficient elements (requested 1, current size 0)")
def an_old_queue_is_empty(tf):
    queue = op(tf, "FIFOQueue", component_types=(tf.int32,), shapes=Shapes([]))
    closed = op(tf, "QueueClose", [queue], cancel_pending_enqueues=True)
    return Program(op(tf, "QueueDequeue", [queue], component_types=(tf.int32,)), setup=[closed])


@case("RandomShuffleQueue")
def an_old_queue_shuffles(tf):
    types = (tf.int32,)
    attrs = {"min_after_dequeue": 0, "seed": 3, "seed2": 4}
    queue = op(tf, "RandomShuffleQueue", component_types=types, shapes=Shapes([]), **attrs)
    put = op(tf, "QueueEnqueueMany", [queue, tf.range(9)], Tcomponents=types)
    taken = op(tf, "QueueDequeueMany", [queue, tf.constant(9)], component_types=types)
    return Program(taken, setup=[put])


@case("PaddingFIFOQueue")
def an_old_queue_pads(tf):
    types = (tf.int32,)
    queue = op(tf, "PaddingFIFOQueue", component_types=types, shapes=Shapes([None]))
    puts = [
        op(tf, "QueueEnqueue", [queue, tf.constant(row)], Tcomponents=types)
        for row in ([1], [1, 2, 3], [4, 5])
    ]
    taken = op(tf, "QueueDequeueMany", [queue, tf.constant(3)], component_types=types)
    return Program(taken, setup=puts)


@case("PriorityQueue")
def an_old_queue_with_priorities(tf):
    types = (tf.int64, tf.string)
    queue = op(tf, "PriorityQueue", component_types=(tf.string,), shapes=Shapes([]))
    elements = [tf.constant([3, 1, 2], tf.int64), tf.constant(["c", "a", "b"])]
    put = op(tf, "QueueEnqueueMany", [queue, *elements], Tcomponents=types)
    taken = op(tf, "QueueDequeueMany", [queue, tf.constant(3)], component_types=types)
    return Program(taken, setup=[put])
