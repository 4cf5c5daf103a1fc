"""GraphDefs that are read: prefixes, mapped inputs, returned elements, malformed nodes."""

from google.protobuf import text_format

from tests.behaviour.asking import UNEXPECTED, question

T = 'attr { key: "T" value { type: DT_FLOAT } }'
X = 'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }\n'


def identity(*inputs, name="y", op="Identity", attr=T, more=""):
    listed = " ".join(f'input: "{text}"' for text in inputs)
    return f'node {{ name: "{name}" op: "{op}" {listed} {attr} {more} }}\n'


def const(value):
    return (
        'node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { '
        f'key: "value" value {{ tensor {{ dtype: DT_INT32 {value} }} }} }} }}'
    )


def graph_def(tf, text):
    return text_format.Parse(text, tf.GraphDef())


def nodes(tf):
    return [
        [op.name, op.device, [t.name for t in op.inputs], [c.name for c in op.control_inputs]]
        for op in tf.get_default_graph().get_operations()
    ]


def imported(tf, text, before=None, **kwargs):
    """What an import gives, and all nodes then; in a graph of its own."""
    with tf.Graph().as_default():
        if before is not None:
            kwargs = {**kwargs, **(before(tf) or {})}
        return [tf.import_graph_def(graph_def(tf, text), **kwargs), nodes(tf)]


def refused(tf, phrase, text, before=None, **kwargs):
    """What a refused import says, and whether it left anything behind."""
    with tf.Graph().as_default() as graph:
        if before is not None:
            kwargs = {**kwargs, **(before(tf) or {})}
        count = len(graph.get_operations())
        try:
            tf.import_graph_def(graph_def(tf, text), **kwargs)
        except Exception as error:
            said = phrase if phrase in str(error) else f"{UNEXPECTED}{error}"
            return [type(error).__name__, said, len(graph.get_operations()) - count]
        return f"{UNEXPECTED}no error"


@question
def prefixes(tf):
    both = X + identity("x")

    def twice(**kwargs):
        with tf.Graph().as_default():
            for _ in range(2):
                tf.import_graph_def(graph_def(tf, X), **kwargs)
            return nodes(tf)

    def taken(name):
        def before(tf):
            tf.placeholder(tf.float32, name=name)

        return before

    return {
        "default": imported(tf, both),
        "none": imported(tf, both, name=""),
        "given": imported(tf, both, name="a"),
        "given with a slash": imported(tf, both, name="a/"),
        "nested": imported(tf, both, name="a/b"),
        "default twice": twice(),
        "given twice": twice(name="a"),
        "none twice": twice(name=""),
        "a name that is taken": imported(tf, both, taken("x"), name=""),
        "a later name that is taken": imported(tf, both, taken("y"), name=""),
        "next name taken, too": imported(tf, both + identity("y", name="y_1"), taken("y"), name=""),
        "a name in capitals": imported(tf, both, taken("X"), name=""),
        "bad": refused(tf, "'a b' is not a valid root scope name", both, name="a b"),
        "any order": imported(tf, identity("x", name="z") + identity("z") + X, name=""),
        "order kept": imported(
            tf,
            X + identity("x", name="a") + X.replace('"x"', '"w"') + identity("w", name="b"),
            name="",
        ),
    }


@question
def elements(tf):
    both = X + identity("x")
    return {
        "all kinds": imported(tf, both, return_elements=["x", "y:0", "x:0"])[0],
        "a word": imported(tf, both, return_elements="x")[0],
        "none": imported(tf, both, return_elements=[])[0],
        "unknown": refused(
            tf, "Requested return node 'z' not found in graph def", both, return_elements=["z"]
        ),
        "unknown tensor": refused(
            tf,
            "Requested return tensor 'z:0' not found in graph def",
            both,
            return_elements=["z:0"],
        ),
        "no such output": refused(
            tf,
            "Invalid return output 1 of node 'x', which has 1 output(s)",
            both,
            return_elements=["x:1"],
        ),
        "no number": refused(
            tf,
            "Second component of the name following the `:` should be an int",
            both,
            return_elements=["x:a"],
        ),
        "a number": refused(
            tf, "`return_elements` must be a list of strings", both, return_elements=[3]
        ),
    }


@question
def mapped_inputs(tf):
    both = X + identity("x")

    def to(key, make=lambda tf, m: m):
        def before(tf):
            return {"input_map": {key: make(tf, tf.placeholder(tf.float32, name="m"))}}

        return before

    with tf.Graph().as_default():
        foreign = tf.placeholder(tf.float32, name="foreign")
    return {
        "by operation": imported(tf, both, to("x")),
        "by tensor": imported(tf, both, to("x:0")),
        "no prefix": imported(tf, both, to("x"), name=""),
        "not in the graph": imported(tf, identity("q"), to("q")),
        "a node nobody reads": imported(tf, X, to("x:0")),
        "returned": imported(tf, both, to("x"), return_elements=["x:0", "x", "y"]),
        "a value": imported(tf, both, to("x", lambda tf, m: 3.0)),
        "a value, no prefix": refused(
            tf,
            "requires a non-empty `name` if `input_map` contains non-Tensor values",
            both,
            to("x", lambda tf, m: 3.0),
            name="",
        ),
        "another type": refused(
            tf, "incompatible with expected", both, to("x", lambda tf, m: tf.constant(3))
        ),
        "another graph": refused(
            tf,
            "node 'foreign' in input_map does not exist in graph",
            both,
            to("x", lambda tf, m: foreign),
        ),
        "a number as key": refused(
            tf, "All keys for argument `input_map` must be strings", both, to(3)
        ),
        "no dictionary": refused(
            tf, "Argument `input_map` must be a dictionary", both, input_map=[1]
        ),
    }


@question
def unused_mapping(tf):
    with tf.Graph().as_default():
        m = tf.placeholder(tf.float32, name="m")
        try:
            tf.import_graph_def(graph_def(tf, X + identity("x")), {"zz:0": m})
        except ValueError as error:
            return {"said": str(error).splitlines()[0]}


@question
def malformed(tf):
    def bad(phrase, text, **kwargs):
        return refused(tf, phrase, text, **kwargs)

    def typed(value):
        return f'attr {{ key: "T" value {{ {value} }} }}'

    strange = "Node name contains invalid characters"
    return {
        "unknown op": bad("Op type not registered 'Tomato'", X + identity("x", op="Tomato")),
        "no op": bad("Node 'y' does not specify an operation", X + identity("x", op="")),
        "same name twice": bad("Node 'x' is not unique", X + X),
        "unknown input": bad("Node 'y': Unknown input node 'q'", X + identity("q")),
        "unknown control": bad("Node 'y': Unknown input node '^q'", X + identity("x", "^q")),
        "output that is not": bad(
            "Node 'y': Connecting to invalid output 1 of source node x which has 1 outputs.",
            X + identity("x:1"),
        ),
        "negative output": bad("Node 'y': Unknown input node 'x:-1'", X + identity("x:-1")),
        "output without number": bad("Node 'y': Unknown input node 'x:a'", X + identity("x:a")),
        "cycle": bad("2 nodes in a cycle", identity("z") + identity("y", name="z")),
        "cycle of one": bad("1 nodes in a cycle", X + identity("y")),
        "missing attribute": bad(
            "NodeDef missing attr 'T' from Op<name=Identity", X + identity("x", attr="")
        ),
        "missing attribute of no input": bad(
            "NodeDef missing attr 'dtype' from Op<name=Placeholder",
            'node { name: "x" op: "Placeholder" }',
        ),
        "wrong type": bad(
            "incompatible with expected int32", X + identity("x", attr=typed("type: DT_INT32"))
        ),
        "attribute of another kind": bad(
            "AttrValue had value with type 'int' when 'type' expected",
            X + identity("x", attr=typed("i: 3")),
        ),
        "a list": bad(
            "AttrValue had value with type 'list(type)' when 'type' expected",
            X + identity("x", attr=typed("list { type: DT_FLOAT }")),
        ),
        "empty attribute": bad(
            "AttrValue missing value with expected type 'type'", X + identity("x", attr=typed(""))
        ),
        "invalid type": bad(
            "AttrValue has invalid DataType", X + identity("x", attr=typed("type: DT_INVALID"))
        ),
        "too many inputs": bad("do not match 2 inputs specified", X + identity("x", "x")),
        "too few inputs": bad("do not match 0 inputs specified", X + identity()),
        "control first": bad(
            "Node 'y': Control dependencies must come after regular dependencies",
            X + identity("^x", "x"),
        ),
        "name with a blank": bad(f"Node 'a b': {strange}", X + identity("x", name="a b")),
        "name with an underscore": bad(f"Node '_b': {strange}", X + identity("x", name="_b")),
        "no name": bad(f"Node '': {strange}", X + identity("x", name="")),
        "unknown colocation": bad(
            "Node 'y' expects to be colocated with unknown node 'zzz'",
            X + identity("x", more='attr { key: "_class" value { list { s: "loc:@zzz" } } }'),
        ),
        "shape of unknown size": bad("fully defined", const("tensor_shape { dim { size: -1 } }")),
        "too new": bad(
            "GraphDef min consumer version 99999 above current version",
            X + "versions { producer: 1 min_consumer: 99999 }",
        ),
        "bad consumer": bad(
            "GraphDef disallows consumer version 1645",
            X + "versions { producer: 1645 bad_consumers: 1645 }",
        ),
        "bad device": bad(
            "Unknown attribute 'tomato' is encountered while parsing the device spec",
            'node { name: "n" op: "NoOp" device: "tomato" }',
        ),
        "unknown attribute": imported(
            tf, X + identity("x", more='attr { key: "zz" value { i: 1 } }')
        ),
        "private attribute": imported(
            tf, X + identity("x", more='attr { key: "_zz" value { i: 1 } }')
        ),
        "a newer producer": imported(tf, X + "versions { producer: 99999 }"),
    }


@question
def written_shapes(tf):
    of_y = 'attr { key: "_output_shapes" value { %s } }'
    x = X.replace("attr {", 'attr { key: "shape" value { shape { dim { size: 2 } } } } attr {')
    return {
        "contradicting": refused(
            tf,
            "Node 'import/y' has an _output_shapes attribute inconsistent with the GraphDef for "
            "output #0: Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2] "
            "and [3].",
            x + identity("x", more=of_y % "list { shape { dim { size: 3 } } }"),
        ),
        "of another kind": imported(tf, x + identity("x", more=of_y % "i: 3")),
        "too many": imported(
            tf, x + identity("x", more=of_y % "list { shape { dim { size: 2 } } shape { } }")
        ),
    }


@question
def no_graph_def(tf):
    answers = {}
    for wrong in (3, b"", None, "x"):
        try:
            tf.import_graph_def(wrong)
        except TypeError as error:
            found = "Argument `graph_def` must be a GraphDef proto" in str(error)
            answers[repr(wrong)] = ["TypeError", found]
    return answers


@question
def in_scopes(tf):
    text = (
        X + 'node { name: "d" op: "NoOp" device: "/job:a" }\n'
        'node { name: "e" op: "NoOp" device: "/gpu:1" }\n'
        + identity("x", more='attr { key: "_class" value { list { s: "loc:@x" } } }')
    )
    graph = tf.get_default_graph()
    c = tf.placeholder(tf.float32, name="c")
    with tf.name_scope("s"), tf.device("/cpu:0"), tf.control_dependencies([c]):
        tf.import_graph_def(graph_def(tf, text))
    answers = {
        "nodes": nodes(tf),
        "group": graph.get_operation_by_name("s/import/y").get_attr("_class"),
    }
    with graph.colocate_with(c.op):
        tf.import_graph_def(graph_def(tf, X), name="")
    answers["colocated"] = graph.get_operation_by_name("x").colocation_groups()
    shapes = 'attr { key: "_output_shapes" value { list { shape { dim { size: 2 } } } } }'
    tf.import_graph_def(graph_def(tf, X[:-2] + shapes + "}" + identity("x")), name="t")
    answers["shapes"] = [str(graph.get_tensor_by_name(name).shape) for name in ("t/x:0", "t/y:0")]
    answers["their attribute"] = graph.get_operation_by_name("t/x").node_def
    graph.finalize()
    try:
        tf.import_graph_def(graph_def(tf, X))
    except RuntimeError as error:
        answers["finalized"] = str(error)
    return answers


_NODES = (
    "[['c', '', [], []], ['s/import/x', '/device:CPU:0', [], ['c']], "
    "['s/import/d', '/job:a/device:CPU:0', [], ['c']], "
    "['s/import/e', '/device:GPU:1', [], ['c']], "
    "['s/import/y', '/device:CPU:0', ['s/import/x:0'], []]]"
)
DIFFERENCES = {
    ("malformed", "bad device"): (
        "['ValueError', \"Unknown attribute 'tomato' is encountered while parsing the device spec\""
        ", 0]",
        "nothing is left behind",
    ),
    ("in_scopes", "nodes"): (
        _NODES,
        "a node whose input waits already needs no control input of its own",
    ),
}
