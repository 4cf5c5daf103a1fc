"""Updates of parts of variables: rows, slices found by several indices, strided slices."""

import numpy as np

from tests.conformance.registry import Program, case

KINDS = [False, True]
FUNCTIONS = ["update", "add", "sub", "mul", "div", "min", "max"]
ROWS = [[1.0, -2.0], [3.0, 4.0], [-5.0, 6.0], [7.0, 8.0]]


def state(tf, use_resource, value=ROWS, **settings):
    if isinstance(value, list) and value and isinstance(value[0], float | list):
        value = np.array(value, np.float32)
    return tf.Variable(value, name="v", use_resource=use_resource, **settings)


def fed(tf, value):
    """A tensor whose shape is known only when it runs."""
    return tf.placeholder_with_default(np.array(value), None)


def floats(tf, value):
    return fed(tf, np.array(value, np.float32))


def updated(fetches, v, runs=2, **more):
    return Program(fetches, setup=[v.initializer], runs=runs, **more)


@case(*[f"Scatter{name.title()}" for name in FUNCTIONS], each=FUNCTIONS)
def rows_of_references(tf, name):
    v = state(tf, False)
    update = getattr(tf, f"scatter_{name}")
    return updated(update(v, [2, 0], [[2.0, 0.5], [4.0, -1.0]]), v)


@case(*[f"ResourceScatter{name.title()}" for name in FUNCTIONS], each=FUNCTIONS)
def rows_of_handles(tf, name):
    v = state(tf, True)
    update = getattr(tf, f"scatter_{name}")
    return updated(update(v, [2, 0], [[2.0, 0.5], [4.0, -1.0]]).read_value(), v)


@case(each=[(name, kind) for name in FUNCTIONS for kind in KINDS])
def rows_given_twice(tf, name, use_resource):
    v = state(tf, use_resource)
    update = getattr(tf, f"scatter_{name}")
    rows = np.array([[2, 0.5], [4, -1], [3, 3], [0.25, 9], [1, 1]], np.float32)
    return updated(tf.identity(update(v, [1, 3, 1, 1, 0], rows)), v)


@case(
    each=[(kind, use_resource) for kind in ["int32", "int64", "float64"] for use_resource in KINDS]
)
def other_types(tf, kind, use_resource):
    v = state(tf, use_resource, np.array([-7, 7, 5, 9], kind))
    one = tf.scatter_div(v, np.array([0, 1], np.int64), np.array([2, -2], kind))
    with tf.control_dependencies([one]):
        two = tf.scatter_div(v, [3, 3, 2], np.array([2, 2, 3], kind))
        return updated(tf.identity(two), v, runs=1)


@case(each=KINDS)
def text_and_truth(tf, use_resource):
    words, flags = state(tf, use_resource, np.array(["a", "b", "c"], object)), None
    flags = tf.Variable([True, False, True], use_resource=use_resource)
    fetches = [tf.scatter_update(words, [1, 1], ["x", "y"]), tf.scatter_update(flags, 0, False)]
    return Program([tf.identity(f) for f in fetches], setup=[words.initializer, flags.initializer])


@case(each=KINDS)
def one_number_for_all_rows(tf, use_resource):
    v = state(tf, use_resource)
    steps = [tf.scatter_add(v, [0, 0, 2], 1.0)]
    with tf.control_dependencies(steps):
        steps.append(tf.scatter_mul(v, [[1, 3], [3, 3]], floats(tf, 2.0)))
    with tf.control_dependencies(steps):
        return updated(v.read_value(), v)


@case(each=KINDS)
def indices_of_other_ranks(tf, use_resource):
    v = state(tf, use_resource)
    first = tf.scatter_sub(v, 3, [1.0, 2.0], name="one")
    with tf.control_dependencies([first]):
        second = tf.scatter_update(v, [[0], [1]], [[[9.0, 9.0]], [[8.0, 8.0]]], name="two")
    with tf.control_dependencies([second]):
        third = tf.scatter_add(v, np.zeros([0], np.int32), np.zeros([0, 2], np.float32))
        return updated(tf.identity(third), v)


@case(each=["update", "add", "sub", "mul", "div", "min", "max"])
def methods_of_references(tf, name):
    v = state(tf, False)
    delta = tf.IndexedSlices(tf.constant([[2.0, 4.0]]), tf.constant([1]))
    return updated(getattr(v, f"scatter_{name}")(delta, name="here"), v)


@case(each=["update", "add", "sub", "mul", "div", "min", "max"])
def methods_of_handles(tf, name):
    v = state(tf, True)
    delta = tf.IndexedSlices(tf.constant([[2.0, 4.0]]), tf.constant([1]))
    first = getattr(v, f"scatter_{name}")(delta, name="here")
    return updated(getattr(first, f"scatter_{name}")(delta).read_value(), v)


@case(
    "ScatterUpdate", "ResourceScatterUpdate", each=KINDS, error="indices[1,1] = -1 is not in [0, 4)"
)
def an_index_below_zero(tf, use_resource):
    v = state(tf, use_resource)
    return updated(tf.identity(tf.scatter_update(v, [[0, 1], [2, -1]], floats(tf, 1.0))), v)


@case("ScatterAdd", "ResourceScatterAdd", each=KINDS, error="indices[1] = 4 is not in [0, 4)")
def an_index_too_large(tf, use_resource):
    v = state(tf, use_resource)
    return updated(tf.identity(tf.scatter_add(v, [0, 4], 1.0)), v)


@case("ScatterAdd", each=KINDS, error="Dimension 0 in both shapes must be equal, but are 3 and 2")
def updates_of_another_shape(tf, use_resource):
    return tf.scatter_add(state(tf, use_resource, [1.0, 2.0]), [0, 1], [1.0, 2.0, 3.0])


@case(
    "ScatterAdd",
    "ResourceScatterAdd",
    each=KINDS,
    error="Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
    "updates.shape [3], indices.shape [1], params.shape [4,2]",
)
def updates_of_another_shape_when_it_runs(tf, use_resource):
    v = state(tf, use_resource)
    return updated(tf.identity(tf.scatter_add(v, [0], floats(tf, [1, 2, 3]))), v)


@case("ResourceScatterAdd", error="The shape of indices ([2]) must be a prefix of the shape of upd")
def updates_that_do_not_divide(tf):
    v = state(tf, True, [1.0, 2.0, 3.0])
    return updated(tf.identity(tf.scatter_add(v, [0, 1], floats(tf, [1, 2, 3]))), v)


@case("ScatterAdd", error="params must be at least 1-D, got shape []")
def rows_of_a_scalar(tf):
    v = state(tf, False, 1.0)
    return updated(tf.scatter_add(v, 0, 5.0), v)


@case("ResourceScatterAdd")
def the_row_of_a_scalar_handle(tf):
    v = state(tf, True, 1.0)
    return updated(tf.scatter_add(v, 0, 5.0).read_value(), v)


@case("ScatterSub", error="Attempting to use uninitialized value v")
def no_value_yet(tf):
    return Program(tf.scatter_sub(state(tf, False), [0], [[1.0, 1.0]]))


@case("ResourceScatterSub", error="Could not find resource:")
def no_value_behind_the_handle(tf):
    return Program(tf.scatter_sub(state(tf, True), [0], [[1.0, 1.0]]).op)


@case(
    "ScatterAdd", error="Value passed to parameter 'ref' has DataType bool not in list of allowed"
)
def adding_to_truth(tf):
    return tf.scatter_add(state(tf, False, [True]), [0], [True])


@case(error="no attribute '_lazy_read'")
def rows_of_a_tensor(tf):
    return tf.scatter_add(tf.constant([1.0]), [0], [1.0])


@case(each=KINDS, error="IndexedSlices")
def a_method_without_slices(tf, use_resource):
    return state(tf, use_resource).scatter_add([1.0])


# Several indices ----------------------------------------------------------------------------------


@case("ScatterNdUpdate", "ScatterNdAdd", "ScatterNdSub", each=["update", "add", "sub"])
def slices_of_references(tf, name):
    v = state(tf, False)
    update = getattr(tf, f"scatter_nd_{name}")
    first = update(v, [[0, 1], [3, 0], [0, 1]], [10.0, 20.0, 30.0])
    with tf.control_dependencies([first]):
        return updated(update(v, [[[1]], [[2]]], [[[1.0, 2.0]], [[3.0, 4.0]]]), v)


@case(
    "ResourceScatterNdUpdate",
    "ResourceScatterNdAdd",
    "ResourceScatterNdSub",
    each=["update", "add", "sub"],
)
def slices_of_handles(tf, name):
    v = state(tf, True)
    update = getattr(tf, f"scatter_nd_{name}")
    first = update(v, [[0, 1], [3, 0], [0, 1]], [10.0, 20.0, 30.0])
    with tf.control_dependencies([first]):
        return updated(update(v, [[[1]], [[2]]], [[[1.0, 2.0]], [[3.0, 4.0]]]).read_value(), v)


@case("ScatterNdMin", "ScatterNdMax", "ResourceScatterNdMin", "ResourceScatterNdMax", each=KINDS)
def smaller_and_larger_slices(tf, use_resource):
    v = state(tf, use_resource)
    first = v.scatter_nd_min([[0, 0], [1, 1]], [0.5, 9.0])
    with tf.control_dependencies([first]):
        second = v.scatter_nd_max([[2], [2]], [[0.0, 0.0], [7.0, 1.0]])
        return updated(tf.identity(second), v)


@case(each=KINDS)
def methods_with_several_indices(tf, use_resource):
    v = state(tf, use_resource)
    first = v.scatter_nd_update([[0, 0]], [9.0], name="one")
    with tf.control_dependencies([first]):
        second = v.scatter_nd_add([[0, 0]], [1.0])
    with tf.control_dependencies([second]):
        return updated(tf.identity(v.scatter_nd_sub([[1, 1]], [1.0])), v)


@case(each=KINDS)
def no_slices(tf, use_resource):
    v = state(tf, use_resource)
    nothing = tf.scatter_nd_add(v, np.zeros([0, 1], np.int32), np.zeros([0, 2], np.float32))
    return updated(tf.identity(nothing), v)


@case(each=KINDS)
def batches(tf, use_resource):
    v = state(tf, use_resource)
    indices = [[0], [1], [1], [0]]
    new = tf.constant([[9.0], [8.0], [7.0], [6.0]])
    first = tf.batch_scatter_update(v, indices, new, name="b")
    with tf.control_dependencies([first]):
        second = v.batch_scatter_update(tf.IndexedSlices(-new, tf.constant(indices)))
        return updated([tf.identity(second)], v)


@case(
    "ScatterNdUpdate",
    "ResourceScatterNdUpdate",
    each=KINDS,
    error="indices[1] = [0, -1] does not index into shape [4,2]",
)
def a_slice_outside(tf, use_resource):
    v = state(tf, use_resource)
    return updated(tf.identity(tf.scatter_nd_update(v, [[0, 0], [0, -1]], [5.0, 6.0])), v)


@case("ScatterNdAdd", error="indices[1,0] = [7] does not index into shape [4,2]")
def a_slice_outside_in_a_batch(tf):
    v = state(tf, False)
    updates = np.ones([2, 1, 2], np.float32)
    return updated(tf.scatter_nd_add(v, [[[0]], [[7]]], updates), v)


@case(
    "ScatterNdUpdate", each=KINDS, error="Dimensions [0,1) of indices[shape=[2,1]] = [2] must mat"
)
def as_many_slices_as_rows(tf, use_resource):
    return tf.scatter_nd_update(state(tf, use_resource), [[0], [1]], np.zeros([3, 2], np.float32))


@case(
    "ScatterNdUpdate", each=KINDS, error="Dimensions [1,2) of input[shape=[4,2]] = [2] must match"
)
def slices_of_another_shape(tf, use_resource):
    return tf.scatter_nd_update(state(tf, use_resource), [[0], [1]], np.zeros([2, 3], np.float32))


@case(
    "ScatterNdUpdate",
    each=KINDS,
    error="Dimensions [0,1) of indices[shape=[2,1]] = 2 must match dimensions [0,1) of updates[",
)
def as_many_slices_as_rows_when_it_runs(tf, use_resource):
    v = state(tf, use_resource)
    update = tf.scatter_nd_update(v, [[0], [1]], floats(tf, np.zeros([3, 2])))
    return updated(tf.identity(update), v)


@case(
    "ScatterNdUpdate",
    each=KINDS,
    error="Dimensions [3,2) of input[shape=[4,2]] must match dimensions [3,1) of updates[shape=[1",
)
def an_index_too_long(tf, use_resource):
    v = state(tf, use_resource)
    return updated(tf.identity(tf.scatter_nd_update(v, [[0, 0, 0]], floats(tf, [5.0]))), v)


@case("ScatterNdAdd", error="Indices and updates specified for empty output.")
def slices_of_no_index(tf):
    v = state(tf, False)
    whole = np.ones([2, 4, 2], np.float32)
    return updated(tf.scatter_nd_add(v, np.zeros([2, 0], np.int32), whole), v)


# Slices -------------------------------------------------------------------------------------------

SLICES = {
    "range": (lambda tf: np.s_[1:3], [[1.0, 2.0], [3.0, 4.0]]),
    "one_row": (lambda tf: np.s_[2], [1.0, 2.0]),
    "one_element": (lambda tf: np.s_[2, 1], 5.0),
    "spread": (lambda tf: np.s_[1:4], 5.0),
    "spread_a_row": (lambda tf: np.s_[:, :], [8.0, 9.0]),
    "backwards": (lambda tf: np.s_[::-2, 0], [1.0, 2.0]),
    "more_dimensions": (lambda tf: np.s_[0:2, 0], [[[8.0, 1.0]]]),
    "new_axis": (lambda tf: (tf.newaxis, 0), [[8.0, 1.0]]),
    "ellipsis": (lambda tf: np.s_[..., 1], [8.0, 1.0, 2.0, 3.0]),
    "nothing": (lambda tf: np.s_[4:], np.zeros([0, 2], np.float32)),
    "all": (lambda tf: np.s_[...], 1.0),
}


@case(
    "StridedSliceAssign",
    "ResourceStridedSliceAssign",
    each=[(name, kind) for name in SLICES for kind in KINDS],
)
def slices_assigned(tf, name, use_resource):
    v = state(tf, use_resource)
    where, value = SLICES[name]
    part = v[where(tf)]
    after = part.assign(value)
    if not use_resource:
        return updated(after, v)  # a reference's read does not wait for the assignment
    with tf.control_dependencies([after]):
        return updated([tf.identity(after), v[where(tf)]], v)


@case(each=KINDS)
def slices_found_when_it_runs(tf, use_resource):
    v = state(tf, use_resource)
    start = tf.constant(1)
    after = v[start : start + 2].assign(floats(tf, [[1, 1], [2, 2]]), name="here")
    return updated(tf.identity(after), v)


@case(
    "StridedSliceAssign",
    each=KINDS,
    error="Cannot broadcast input shape [3] into final shape [2,2]",
)
def a_value_that_does_not_fit(tf, use_resource):
    v = state(tf, use_resource)
    return updated(tf.identity(v[0:2].assign([1.0, 2.0, 3.0])), v)


@case("StridedSliceAssign", error="Attempting to use uninitialized value v")
def a_slice_of_nothing(tf):
    return Program(state(tf, False)[0].assign([1.0, 1.0]))


@case("ResourceStridedSliceAssign", error="Could not find resource:")
def a_slice_of_nothing_behind_the_handle(tf):
    return Program(state(tf, True)[0].assign([1.0, 1.0]).op)


# Rows read, and gradients through them ------------------------------------------------------------


@case("ResourceGather")
def rows_read(tf):
    v = state(tf, True)
    read = [v.sparse_read([3, 0]), v.sparse_read([[1]], name="mine"), tf.gather(v, 2)]
    return updated(read, v)


@case("ResourceGatherNd")
def elements_read(tf):
    v = state(tf, True)
    return updated([v.gather_nd([[3, 0], [0, 1]]), v.gather_nd([[[2]]], name="mine")], v)


@case("ResourceGather", error="indices[1] = 4 is not in [0, 4)")
def a_row_outside(tf):
    v = state(tf, True)
    return updated(tf.gather(v, [0, 4]), v)


@case("ResourceGatherNd", error="indices[1] = [4] does not index into param shape [4,2]")
def an_element_outside(tf):
    v = state(tf, True)
    return updated(v.gather_nd([[0], [4]]), v)


@case("ResourceGather")
def gradients_of_rows(tf):
    v = state(tf, True)
    loss = tf.reduce_sum(tf.square(tf.gather(v, [[3, 0], [3, 3]])))
    gradient = tf.gradients(loss, v)[0]
    both = tf.gradients(loss + tf.reduce_sum(v), v)[0]
    return updated([gradient, tf.convert_to_tensor(gradient), both], v)


# Counting -----------------------------------------------------------------------------------------


@case("CountUpTo", "ResourceCountUpTo", each=KINDS)
def counting(tf, use_resource):
    v = state(tf, use_resource, np.int64(3))
    return updated(v.count_up_to(9), v, runs=3)


@case("CountUpTo", "ResourceCountUpTo", each=KINDS, error="Reached limit of 2")
def the_limit(tf, use_resource):
    v = state(tf, use_resource, 2)
    return updated(tf.count_up_to(v, 2, name="c"), v)


@case("CountUpTo", each=KINDS, error="Shape must be rank 0 but is rank 1")
def counting_a_vector(tf, use_resource):
    return tf.count_up_to(state(tf, use_resource, np.array([2])), 2)


@case("CountUpTo", error="has DataType float32 not in list of allowed values: int32, int64")
def counting_fractions(tf):
    return tf.count_up_to(state(tf, False, 2.0), 2)
