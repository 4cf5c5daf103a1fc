"""Mistakes as learners make them while they build a graph: shapes, truth, names."""

import numpy as np

from tests.behaviour.asking import question, says
from tests.behaviour.questions.mistakes import inside, running


@question
def shapes(tf):
    x, u = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32)
    other = tf.placeholder(tf.float32)
    i = tf.constant([1, 2, 3])
    entropy = tf.nn.softmax_cross_entropy_with_logits_v2
    return {
        "product": says(
            "Dimensions must be equal, but are 3 and 2 for '{{node mm}} = MatMul",
            tf.matmul,
            tf.ones([2, 3]),
            tf.ones([2, 3]),
            name="mm",
        ),
        "rank": says(
            "Shape must be rank 2 but is rank 1 for '{{node MatMul}} = MatMul",
            tf.matmul,
            [1.0, 2.0],
            [[1.0], [2.0]],
        ),
        "product in a run": says(
            "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]",
            running,
            tf,
            tf.matmul(u, tf.ones([2, 3])),
            {u: np.ones((2, 3))},
        ),
        "sum": says("Dimensions must be equal, but are 2 and 3", lambda: tf.constant([1, 2]) + i),
        "sum in a run": says(
            "Incompatible shapes: [3] vs. [2]",
            running,
            tf,
            u + other,
            {u: [1.0, 2.0, 3.0], other: [1.0, 2.0]},
        ),
        "axis": says(
            "Invalid reduction dimension 2 for input with 2 dimensions. for '{{node Sum}} "
            "= Sum[T=DT_INT32, Tidx=DT_INT32, keep_dims=false](Sum/input, "
            "Sum/reduction_indices)' with input shapes: [1,2], [] and with computed input "
            "tensors: input[1] = <2>.",
            tf.reduce_sum,
            [[1, 2]],
            axis=2,
        ),
        "concat": says(
            "with input shapes: [1,2], [1,3], [] and with computed input tensors: input[2] = <0>.",
            tf.concat,
            [[[1, 2]], [[1, 2, 3]]],
            0,
        ),
        "concat, old order": says("Shape (2, 1) must have rank 0", tf.concat, 0, [[1], [2]]),
        "stack": says("From merging shape 0 with other shapes.", tf.stack, [[1, 2], [1, 2, 3]]),
        "split": says(
            "Number of ways to split should evenly divide the split dimension",
            tf.split,
            tf.range(5),
            2,
        ),
        "reshape": says(
            "Cannot reshape a tensor with 6 elements to shape [4,2] (8 elements)",
            tf.reshape,
            tf.range(6),
            [4, 2],
        ),
        "reshape, values": says(
            "with input shapes: [6], [2] and with input tensors computed as "
            "partial shapes: input[1] = [4,2].",
            tf.reshape,
            tf.range(6),
            [4, 2],
        ),
        "reshape in a run": says(
            "Input to reshape is a tensor with 1 values, but the requested shape has 8",
            running,
            tf,
            tf.reshape(u, [4, 2]),
            {u: [1.0]},
        ),
        "reshape with None": says(
            "Failed to convert elements of [None, 2, 2] to Tensor.", tf.reshape, x, [None, 2, 2]
        ),
        "zeros like a batch": says(
            "Cannot convert a partially known TensorShape (?, 4) to", tf.zeros, x.shape
        ),
        "squeeze": says(
            "Can not squeeze dim[1], expected a dimension of 1, got 2", tf.squeeze, [[1, 2]], [1]
        ),
        "index": says("slice index 5 of dimension 0 out of bounds.", lambda: i[5]),
        "index, values": says(
            "and with computed input tensors: input[1] = <5>, input[2] = <6>, input[3] = <1>.",
            lambda: i[5],
        ),
        "too many indices": says(
            "Index out of range using input dim 1; input has only 1 dims", lambda: i[0, 0]
        ),
        "index a float": says("are valid indices, got 1.5", lambda: i[1.5]),
        "gather": says("indices[0] = 5 is not in [0, 2)", running, tf, tf.gather([1, 2], [5])),
        "set_shape": says(
            "Dimension 0 in both shapes must be equal, but are 3 and 2. Shapes are [3] and [2].",
            i.set_shape,
            [2],
        ),
        "set_shape, rank": says("Shapes must be equal rank, but are 1 and 0", i.set_shape, []),
        "where": says(
            "Dimension 0 in both shapes must be equal, but are 2 and 1. Shapes are [2] and [1].",
            tf.where,
            [True, False],
            [1],
            [2],
        ),
        "cross entropy": says(
            "Dimensions must be equal, but are 4 and 3",
            entropy,
            labels=tf.ones([2, 3]),
            logits=tf.ones([2, 4]),
        ),
        "sigmoid": says(
            "`logits` and `labels` must have the same shape, received ((2, 1) vs (2,))",
            tf.nn.sigmoid_cross_entropy_with_logits,
            labels=tf.ones([2]),
            logits=tf.ones([2, 1]),
        ),
        "label": says(
            "Received a label value of 5 which is outside the valid range of [0, 3).",
            running,
            tf,
            tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=tf.constant([5]), logits=tf.ones([1, 3])
            ),
        ),
        "size of random": says("Shape must be rank 1 but is rank 0", tf.random_normal, 2),
    }


@question
def tensors_are_not_arrays(tf):
    a, b = tf.constant([1, 2], name="a"), tf.constant(True)
    allowed = "`tf.Tensor` as a Python `bool` is not allowed"
    iterating = "Iterating over a symbolic `tf.Tensor` is not allowed"

    def lacks(name):
        return says(f"object has no attribute '{name}'", getattr, a, name)

    return {
        "if": says(allowed, bool, tf.constant(1) > 0),
        "and": says(allowed, lambda: b and b),
        "for": says(iterating, list, a),
        "for, unknown": says(iterating, list, tf.placeholder(tf.float32)),
        "len": says(
            "len is not well defined for a symbolic Tensor (a:0). Please call `x.shape` "
            "rather than `len(x)` for shape information.",
            len,
            a,
        ),
        "array": says("Cannot convert a symbolic", np.array, a),
        "sum": says("to a numpy array", np.sum, a),
        "float": says("must be a string or a real number, not", float, tf.constant(1.0)),
        "range": says("object cannot be interpreted as an integer", range, tf.constant(3)),
        "called": says("object is not callable", lambda: a()),
        "methods": [lacks("numpy"), lacks("reshape"), lacks("size"), lacks("tolist")],
        "hasattr": [hasattr(a, "numpy"), hasattr(a, "reshape"), "numpy" in dir(a)],
        "equality": [a == a, a == 1, {a: 2}[a]],
        "waiting for one": says(iterating, tf.control_dependencies, a),
    }


@question
def names(tf):
    a, graph = tf.constant(1, name="a"), tf.get_default_graph()
    return {
        "space": says("", tf.constant, 1, name="my const"),
        "scope": says(
            "is not a valid root scope name", lambda: tf.name_scope("my scope!").__enter__()
        ),
        "underscore": says("", tf.constant, 1, name="_x"),
        "number": says("", tf.constant, 1, name=5),
        "third operand": says("", tf.maximum, 1.0, 2.0, 3),
        "no index": says(
            "The name 'a' refers to an Operation, not a Tensor. Tensor names must be of the form",
            graph.get_tensor_by_name,
            "a",
        ),
        "no tensor": says(
            "The name 'b:0' refers to a Tensor which does not exist.",
            graph.get_tensor_by_name,
            "b:0",
        ),
        "index": says(
            "appears to refer to a Tensor, not a Operation.", graph.get_operation_by_name, "a:0"
        ),
        "no operation": says(
            "The name 'b' refers to an Operation not in the graph.",
            graph.get_operation_by_name,
            "b",
        ),
        "no type": says(
            "Cannot convert the argument `type_value`: 'float33' to a",
            tf.constant,
            1,
            dtype="float33",
        ),
        "dtype forgotten": says("missing 1 required positional argument: 'dtype'", tf.placeholder),
        "device": says(
            "Unknown attribute 'nope' is encountered while parsing the device spec",
            lambda: inside(tf.device("/nope:0"), lambda: tf.constant(1)),
        ),
        "missing": [hasattr(tf, "placeholders"), hasattr(tf, "reduce_summ"), hasattr(tf, "mul")],
        "mistyped": says("has no attribute 'placholder'", getattr, tf, "placholder"),
        "mistyped below": says(
            "has no attribute 'AdamOptimiser'", getattr, tf.train, "AdamOptimiser"
        ),
        "same": a.name,
    }


@question
def graphs(tf):
    graph, other, finished = tf.Graph(), tf.Graph(), tf.Graph()
    with graph.as_default():
        a, v = tf.constant(1, name="a"), tf.Variable(1, name="v")
    finished.finalize()

    def mixed(x):
        with other.as_default():
            return tf.constant(2, name="b") + x

    def reset():
        with tf.Graph().as_default():
            tf.reset_default_graph()

    return {
        "mixed": says("must be from the same graph as", mixed, a),
        "mixed with a variable": says("must be from the same graph as", mixed, v),
        "finalized": says(
            "Graph is finalized and cannot be modified.",
            lambda: inside(finished.as_default(), lambda: tf.constant(1)),
        ),
        "reset inside": says("Do not use tf.reset_default_graph() to clear nested graphs.", reset),
        "import": says("must be a GraphDef proto", tf.import_graph_def, "x"),
        "import map": says(
            "Attempted to map inputs that were not found in graph_def: [z:0]",
            tf.import_graph_def,
            graph.as_graph_def(),
            {"z:0": tf.constant(1.0)},
        ),
        "controller": says(
            "Can not convert a int into a Tensor or Operation.",
            lambda: inside(tf.control_dependencies([1]), tf.no_op),
        ),
        "group": says("'inputs' should be zero or more (nested) Tensors.", tf.group, 3),
    }


_CLASS = "a TypeError there, too, but of a class of its own that tells of AutoGraph"
_BOOL = "TypeError: `tf.Tensor` as a Python `bool` is not allowed"
_ITERATING = "TypeError: Iterating over a symbolic `tf.Tensor` is not allowed"
DIFFERENCES = {
    ("tensors_are_not_arrays", "if"): (_BOOL, _CLASS),
    ("tensors_are_not_arrays", "and"): (_BOOL, _CLASS),
    ("tensors_are_not_arrays", "for"): (_ITERATING, _CLASS),
    ("tensors_are_not_arrays", "for, unknown"): (_ITERATING, _CLASS),
    ("tensors_are_not_arrays", "waiting for one"): (_ITERATING, _CLASS),
}
