"""Libraries of functions in GraphDefs: what is read, what is refused, and that nothing is left."""

import re

import pytest

import tinytf as tf
from tinytf.api.function import Defun
from tinytf.protos import graph_pb2


@pytest.fixture
def definition():
    """A call of F(x) = x + 1, whose shapes may be inferred."""
    with tf.Graph().as_default() as graph:

        @Defun(tf.float32, func_name="F")
        def function(x):
            return tf.add(x, 1.0, name="sum")

        function(tf.zeros([2, 3], name="start"), name="call")
        result = graph.as_graph_def()
    del result.node[-1].attr["_disable_call_shape_inference"]
    return result


def body(definition):
    return definition.library.function[0]


def load(definition, graph=None, name=""):
    """Import and run; the value of the call."""
    with (graph or tf.Graph()).as_default(), tf.Session() as sess:
        (call,) = tf.import_graph_def(definition, return_elements=["call:0"], name=name)
        return sess.run(call)


def test_a_graph_survives_its_definition(definition):
    graph = tf.Graph()
    assert load(definition, graph).tolist() == [[1.0] * 3] * 2
    assert graph.get_tensor_by_name("call:0").shape.as_list() == [2, 3]
    again = graph.as_graph_def()
    assert again.library == definition.library
    assert again.versions.min_consumer == 12
    assert tf.Graph().as_graph_def().versions.min_consumer == 0


def test_a_definition_may_come_again(definition):
    definition.library.function.add().CopyFrom(body(definition))
    graph = tf.Graph()
    assert load(definition, graph).tolist() == [[1.0] * 3] * 2
    assert load(definition, graph, "again").tolist() == [[1.0] * 3] * 2
    assert list(graph._functions) == ["F"]


def replace_input(definition, text):
    node = next(n for n in body(definition).node_def if n.op == "AddV2")
    node.input[0] = text


def add_node(definition, **node):
    body(definition).node_def.add(**node)


STRUCTURE = {
    "unknown input": (
        lambda d: replace_input(d, "nobody:out:0"),
        "input nobody:out:0 is not found: {{node sum_0}}",
    ),
    "unknown output of a node": (
        lambda d: replace_input(d, "sum/y:nothing:0"),
        "input sum/y:nothing:0 is not found",
    ),
    "output beyond the last": (
        lambda d: replace_input(d, "sum/y:output:1"),
        "input sum/y:output:1 is not found",
    ),
    "element of an argument that is no list": (
        lambda d: replace_input(d, "x:1"),
        "input x:1 is not found",
    ),
    "result from nowhere": (
        lambda d: body(d).ret.__setitem__("sum", "nobody:z:0"),
        "Return sum -> nobody:z:0 is not found.\n\tIn function output sum:float",
    ),
    "missing result": (
        lambda d: body(d).ret.clear(),
        "Return sum missing.\n\tIn function output sum:float",
    ),
    "two nodes of one name": (
        lambda d: add_node(d, name="sum_0", op="NoOp"),
        "Duplicated node name: sum_0",
    ),
    "node of an argument's name": (
        lambda d: add_node(d, name="x", op="NoOp"),
        "Duplicated node name: x",
    ),
    "bad name of a node": (
        lambda d: add_node(d, name="a b", op="NoOp"),
        "contains invalid characters",
    ),
    "no name": (
        lambda d: setattr(body(d).signature, "name", ""),
        "'' cannot be the name of a function",
    ),
    "name of an op": (
        lambda d: setattr(body(d).signature, "name", "MatMul"),
        "Cannot add function 'MatMul' because an op with the same name already exists.",
    ),
    "argument without type": (
        lambda d: body(d).signature.input_arg[0].ClearField("type"),
        'No type fields in name: "x"',
    ),
    "gradient that is not there": (
        lambda d: d.library.gradient.add(function_name="F", gradient_func="G"),
        "FunctionDefLibrary missing 'G' FunctionDef",
    ),
    "gradient of nothing": (
        lambda d: d.library.gradient.add(function_name="G", gradient_func="F"),
        "FunctionDefLibrary missing 'G' FunctionDef",
    ),
    "two functions of one name": (
        lambda d: d.library.function.add(signature=body(d).signature, ret={"sum": "x"}),
        "Cannot add function 'F' because a different function with the same name already exists.",
    ),
    "attribute without value": (
        lambda d: body(d).node_def[-1].attr["T"].__setattr__("placeholder", "T"),
        "Attr T is not found from Op<name=F>",
    ),
    "missing attribute": (lambda d: body(d).node_def[-1].attr.clear(), "type attr not found: T"),
    "circle": (lambda d: replace_input(d, "sum_0:z:0"), "1 nodes in a cycle: sum_0"),
    "control result that is no node": (
        lambda d: body(d).control_ret.__setitem__("c", "nobody"),
        "Control return c -> nobody is not found.",
    ),
}


@pytest.mark.parametrize(("change", "message"), STRUCTURE.values(), ids=STRUCTURE.keys())
def test_malformed_libraries_change_nothing(definition, change, message):
    change(definition)
    graph = tf.Graph()
    with graph.as_default():
        kept = tf.constant(1.0, name="kept")
        with pytest.raises(ValueError, match=re.escape(message)):
            tf.import_graph_def(definition, name="")
    assert graph.get_operations() == [kept.op]
    assert graph._functions == {}


def test_a_failing_import_takes_its_functions_back(definition):
    definition.node.add(name="bad", op="Identity", input=["call"])  # no attribute T
    graph = tf.Graph()
    with graph.as_default(), pytest.raises(ValueError, match="missing attr 'T'"):
        tf.import_graph_def(definition, name="")
    assert graph._functions == {}


def test_a_function_that_is_not_there(definition):
    definition.library.Clear()
    with pytest.raises(tf.errors.NotFoundError, match="Op type not registered 'F'"):
        load(definition)


def test_unknown_ops_matter_only_to_those_who_call(definition):
    other = definition.library.function.add()
    other.CopyFrom(body(definition))
    other.signature.name = "Unused"
    other.node_def.add(name="strange", op="OpOfTheFuture")
    assert load(definition).shape == (2, 3)
    definition.node[-1].op = "Unused"
    with pytest.raises(tf.errors.NotFoundError) as caught:
        load(definition)
    assert "Op type not registered 'OpOfTheFuture'" in str(caught.value)
    assert "In function 'Unused'" in str(caught.value)


def test_functions_that_nest_without_measure(definition):
    """One that calls the next, a thousand times: an error, not the end of the process."""
    last = body(definition)
    for number in range(1000):
        outer = definition.library.function.add()
        outer.signature.CopyFrom(last.signature)
        outer.signature.name = f"F{number}"
        outer.node_def.add(name="call", op=last.signature.name, input=["x"])
        outer.ret["sum"] = "call:sum:0"
        last = outer
    definition.node[-1].op = "F999"
    graph = tf.Graph()
    with graph.as_default(), pytest.raises(ValueError, match="Calls of functions nest too deep"):
        tf.import_graph_def(definition, name="")
    assert graph._functions == {}


def test_wrong_inputs_of_a_call(definition):
    definition.node[-1].input.append("start")
    with pytest.raises(ValueError, match="do not match 2 inputs specified"):
        load(definition)
    definition.node[-1].input[:] = ["text"]
    node = definition.node.add(name="text", op="Const")
    node.attr["dtype"].type = tf.string.as_datatype_enum
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto("x"))
    with pytest.raises(ValueError, match="incompatible with expected float32"):
        load(definition)


def test_functions_that_leave_types_open():
    """TensorFlow's own Defun never makes any; graphs of other origin have them."""
    text = """
      node { name: "x" op: "Const"
        attr { key: "dtype" value { type: DT_INT32 } }
        attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 5 } } } }
      node { name: "call" op: "Twice" input: "x"
        attr { key: "T" value { type: DT_INT32 } } }
      library { function {
        signature { name: "Twice"
          input_arg { name: "x" type_attr: "T" } output_arg { name: "y" type_attr: "T" }
          attr { name: "T" type: "type" } }
        node_def { name: "sum" op: "AddV2" input: "x" input: "x:0"
          attr { key: "T" value { placeholder: "T" } } }
        ret { key: "y" value: "sum:z" } } }
    """
    from google.protobuf import text_format

    definition = text_format.Parse(text, graph_pb2.GraphDef())
    assert load(definition) == 10


def test_lists_as_arguments_and_results():
    text = """
      node { name: "a" op: "Const"
        attr { key: "dtype" value { type: DT_INT32 } }
        attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 5 } } } }
      node { name: "swapped" op: "Swap" input: "a" input: "a"
        attr { key: "N" value { i: 2 } } }
      node { name: "call" op: "AddN" input: "swapped" input: "swapped:1"
        attr { key: "N" value { i: 2 } } attr { key: "T" value { type: DT_INT32 } } }
      library { function {
        signature { name: "Swap"
          input_arg { name: "xs" type: DT_INT32 number_attr: "N" }
          output_arg { name: "ys" type: DT_INT32 number_attr: "N" }
          attr { name: "N" type: "int" } }
        node_def { name: "both" op: "IdentityN" input: "xs:1" input: "xs"
          attr { key: "T" value { list { type: DT_INT32 type: DT_INT32 } } } }
        ret { key: "ys" value: "both:output" } } }
    """
    from google.protobuf import text_format

    definition = text_format.Parse(text, graph_pb2.GraphDef())
    assert load(definition) == 10


def test_results_by_control_edges():
    """Operations that TensorFlow 2 marks as control outputs run, though nothing needs them."""
    with tf.Graph().as_default() as graph:
        ran = []

        @Defun(tf.float32, func_name="F")
        def function(x):
            tf.py_func(lambda v: ran.append(v), [x], [], stateful=False, name="effect")
            return x

        function(1.0, name="call")
        definition = graph.as_graph_def()
        body(definition).control_ret["done"] = "effect"
        load(definition)
    assert ran == [1.0]
