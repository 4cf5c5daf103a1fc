"""Checks of ch01.ex2: a prediction, compared with what the runtime says it ran."""

from collections.abc import Set

import tinytf as tf
from tinytf.grading import Wrong, point

#: The program of the task.
PROGRAM = """\
price = tf.placeholder(tf.float32, [], name="price")
pieces = tf.placeholder(tf.float32, [], name="pieces")
sold = tf.Variable(0.0, name="sold")

net = tf.multiply(price, pieces, name="net")
tax = tf.multiply(net, 0.25, name="tax")
gross = tf.add(net, tax, name="gross")
reduced = tf.multiply(net, 0.5, name="reduced")
count = tf.assign_add(sold, pieces, name="count")
valid = tf.check_numerics(price, "what price?", name="valid")
with tf.control_dependencies([valid]):
    receipt = tf.identity(gross, name="receipt")
"""


def really_run(fetch, fed):
    """The names of what runs, by the runtime's own report of the run."""
    config = tf.ConfigProto()  # the graph as it is, not simplified
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    options = tf.RunOptions(output_partition_graphs=True)
    report = tf.RunMetadata()
    with tf.Session(config=config) as session:
        session.run(tf.global_variables_initializer())
        session.run(
            fetch.outputs[0] if fetch.outputs else fetch,
            {op.outputs[0]: 1.0 for op in fed},
            options=options,
            run_metadata=report,
        )
    mine = {op.name for op in fetch.graph.get_operations()}
    return {node.name for part in report.partition_graphs for node in part.node} & mine


def before(fetch, fed=(), control=True):
    """The names of all that an operation needs: by any way, or by values alone."""
    names, front = set(), [fetch]
    while front:
        op = front.pop()
        if op in fed or op.name in names:
            continue
        names.add(op.name)
        front += [tensor.op for tensor in op.inputs]
        front += op.control_inputs if control else []
    return names


def listed(names):
    """Names to be read: in order, or the word for none."""
    return ", ".join(sorted(names)) or "nothing"


def predicted(answer, fetch, fed):
    """The answer's names for one run."""
    result = answer(fetch, list(fed))
    if not isinstance(result, Set | list | tuple):
        raise Wrong(
            "which_run(fetch, fed) must return a set of names",
            "a set",
            f"{type(result).__name__} {result!r}",
            hint="where nothing runs, return the empty set: set()",
        )
    others = [name for name in result if not isinstance(name, str)]
    if others:
        raise Wrong(
            "which_run(fetch, fed) must return names",
            "texts such as 'net'",
            repr(others[0]),
            hint="op.name is the name of an operation",
        )
    tensors = sorted(name for name in result if ":" in name)
    if tensors:
        raise Wrong(
            "which_run(fetch, fed) must return names of operations",
            repr(tensors[0].partition(":")[0]),
            repr(tensors[0]),
            hint="a name with a colon is that of a tensor, an output of the operation",
        )
    return set(result)


def why_not(name, fetch, fed):
    """Why an operation that was predicted does not run."""
    if name not in {op.name for op in fetch.graph.get_operations()}:
        return "there is no operation of this name"
    if name in {op.name for op in fed}:
        return "will not run, for the result is fed: nobody has to compute it"
    if name in before(fetch):
        return "will not run, for what is fed needs no inputs: the way back ends there"
    if name.endswith(("/Assign", "/initial_value")):
        return (
            "will run with the initializer only: that is a run of its own, after which the "
            "variable keeps its value; to read it, nothing is initialised again"
        )
    if name in {op.name for tensor in fetch.outputs for op in tensor.consumers()}:
        return f"will not run, for {fetch.name} gives something there, and needs nothing from there"
    return f"will not run, for {fetch.name} needs nothing from there (pruned)"


def why_so(name, fetch, fed):
    """Why an operation that was not predicted does run."""
    if name == fetch.name:
        return "will run, for it is fetched"
    if name not in before(fetch, fed, control=False):
        return (
            f"will run, though no value goes from there to {fetch.name}: a control dependency says "
            "that this has to come before"
        )
    outputs = fetch.graph.get_operation_by_name(name).outputs
    users = {op.name for tensor in outputs for op in tensor.consumers()} & before(fetch, fed)
    needed = "" if users == {fetch.name} else f", and {fetch.name} needs that"
    return f"will run, for the value goes to {listed(users)}{needed}"


def reasons(fetch, fed, truth, got):
    """One sentence for all names that are wrong for the same reason."""
    found = {}
    for name in sorted(truth - got):
        found.setdefault(why_so(name, fetch, fed), []).append(name)
    for name in sorted(got - truth):
        found.setdefault(why_not(name, fetch, fed), []).append(name)
    return [f"{listed(names)}: {reason}" for reason, names in found.items()]


def compare(answer, fetch, fed):
    """One prediction against the truth, name by name."""
    got = predicted(answer, fetch, fed)
    truth = really_run(fetch, fed)
    if got == truth:
        return
    what = f"fetching {fetch.name}, feeding {listed(op.name for op in fed)}"
    raise Wrong(
        ".\n".join([what, *reasons(fetch, fed, truth, got)[:3]]), listed(truth), listed(got)
    )


def shop():
    """The operations of the program, by name, in the default graph."""
    exec(PROGRAM, {"tf": tf})  # noqa: S102 - the text above
    return {op.name: op for op in tf.get_default_graph().get_operations()}


def ask(answer, *runs):
    """Several runs of the shop's program: a fetch and what is fed besides the placeholders."""
    ops = shop()
    always = [ops["price"], ops["pieces"]]
    for fetch, fed in runs:
        compare(answer, ops[fetch], always + [ops[name] for name in fed])


@point("what the fetch does not need does not run", 1)
def only_what_is_needed(answer):
    ask(answer, ("net", []), ("gross", []), ("reduced", []))


@point("a control dependency makes run what no value comes from", 1)
def control(answer):
    ask(answer, ("receipt", []))


@point("what is fed is not computed, nor what only that needed", 2)
def feeding(answer):
    ask(answer, ("gross", ["net"]), ("receipt", ["gross"]), ("gross", ["tax"]), ("net", ["net"]))


@point("a variable's initial value is computed by its initializer alone", 1)
def variables(answer):
    ask(answer, ("sold/read", []), ("count", []), ("sold/Assign", []))
