"""tf.test.TestCase, continued: errors that are expected, and the texts of failures."""

from tests.behaviour.asking import question, says
from tests.behaviour.questions.test_cases import case_of, end, holds


@question
def errors(tf):
    case = case_of(tf)
    zero = tf.placeholder(tf.int32, [], name="zero")
    divided = tf.floordiv(1, zero, name="divided")

    def within(context, function):
        with context:
            function()

    with case.session() as sess:

        def divide():
            sess.run(divided, {zero: 0})

        def fail():
            raise ValueError("a text")

        raises, op_error = case.assertRaisesWithPredicateMatch, case.assertRaisesOpError
        incompatible = case.assertRaisesIncompatibleShapesError
        one, other = tf.ones([2]), tf.placeholder(tf.float32)
        total = tf.add(one, other)
        answers = {
            "an op error": holds(within, op_error("division by zero|by zero"), divide),
            "its operation": holds(within, op_error("Caused by: divided"), divide),
            "other words": says("Exception of type", within, op_error("something else"), divide),
            "no op error": says("a text", within, op_error("a text"), fail),
            "no error": says("OpError not raised", within, op_error("x"), lambda: None),
            "a predicate": holds(within, op_error(lambda e: e.op.name == "divided"), divide),
            "another predicate": holds(within, op_error(lambda e: False), divide),
            "a value error": holds(within, raises(ValueError, "te.t"), fail),
            "a base class": holds(within, raises(Exception, "te.t"), fail),
            "another class": holds(within, raises(TypeError, "te.t"), fail),
            "not raised": says("TypeError not raised", within, raises(TypeError, "x"), lambda: 1),
            "shapes": holds(within, incompatible(), lambda: sess.run(total, {other: [1, 2, 3]})),
            "static shapes": holds(
                within, incompatible(ValueError), lambda: tf.add(one, [1.0, 2.0, 3.0])
            ),
            "literal": holds(case.assertRaisesWithLiteralMatch, ValueError, "a text", fail),
        }
    end(case)
    return answers


@question
def messages(tf):
    case = case_of(tf)
    one = tf.NodeDef(name="a", op="NoOp")
    config = tf.ConfigProto(allow_soft_placement=True)
    equal = case.assertProtoEquals
    graph, same, other, more = (tf.Graph() for _ in range(4))
    for where, value in ((graph, 1), (same, 1), (other, 2), (more, 1)):
        with where.as_default():
            a = tf.constant(value, name="a")
            with tf.control_dependencies([tf.no_op(name="n"), tf.no_op(name="m")]):
                tf.identity(a, name="b")
    with more.as_default():
        tf.no_op(name="z")
    assert_graphs = tf.test.assert_equal_graph_def
    first, second, third, fourth = (g.as_graph_def() for g in (graph, same, other, more))
    second.versions.producer = 3
    moved = tf.GraphDef()
    moved.node.extend(reversed(second.node))
    swapped = tf.GraphDef()
    swapped.CopyFrom(second)
    swapped.node[3].input[1:] = ["^m", "^n"]
    answers = {
        "text": holds(equal, "name: 'a' op: 'NoOp'", one),
        "a message": holds(equal, tf.NodeDef(name="a", op="NoOp"), one),
        "another": holds(equal, "name: 'b' op: 'NoOp'", one),
        "another message": holds(equal, tf.NodeDef(), one),
        "other kinds": says("Can't compare protos of type", equal, config, one),
        "no text format": holds(equal, "name 'a'", one),
        "a number": holds(equal, 3, one),
        "a version": holds(
            case.assertProtoEqualsVersion,
            "node { name: 'a' op: 'NoOp' }",
            tf.GraphDef(node=[one]),
            producer=0,
        ),
        "the same graph": holds(assert_graphs, first, first),
        "versions": holds(assert_graphs, first, second),
        "the order of nodes": holds(assert_graphs, moved, first),
        "the order of control inputs": holds(assert_graphs, swapped, first),
        "a value": says("Node named 'a' has attr 'value' with value", assert_graphs, third, first),
        "one more": says("Found unexpected node '{{node z}}", assert_graphs, fourth, first),
        "one less": says("Did not find expected node '{{node z}}", assert_graphs, first, fourth),
        "no graph": says("Expected tf.GraphDef for actual, got int", assert_graphs, 3, first),
        "no graph expected": says(
            "Expected tf.GraphDef for expected, got NodeDef", assert_graphs, first, one
        ),
    }
    for change, label in (
        (lambda n: setattr(n, "op", "Neg"), "an op"),
        (lambda n: n.input.append("^a"), "a control"),
        (lambda n: setattr(n, "device", "/cpu:0"), "a device"),
        (lambda n: n.attr.clear(), "attrs"),
        (lambda n: n.input.pop(0), "an input"),
        (lambda n: n.attr["x"].CopyFrom(n.attr["T"]), "x"),
    ):
        changed = tf.GraphDef()
        changed.CopyFrom(first)
        change(changed.node[3])
        answers[f"{label} changed"] = says("Node named 'b'", assert_graphs, changed, first)
    end(case)
    return answers
