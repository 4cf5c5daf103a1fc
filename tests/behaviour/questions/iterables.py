"""What is given instead of a list: views of dictionaries, deques, generators, sets, arrays."""

from collections import OrderedDict, deque

import numpy as np

from tests.behaviour.asking import question, says


def _array(items):
    array = np.empty(len(items), object)
    for index, item in enumerate(items):
        array[index] = item
    return array


def _same(item):
    return item


#: Ways to give a few things.
KINDS = {
    "list": list,
    "tuple": tuple,
    "values": lambda items: dict(enumerate(items)).values(),
    "keys": lambda items: dict.fromkeys(items).keys(),
    "ordered values": lambda items: OrderedDict(enumerate(items)).values(),
    "deque": deque,
    "set": set,
    "generator": lambda items: (item for item in items),
    "map": lambda items: map(_same, items),
    "array": _array,
}


def _form(tf, value):
    """Containers and types of what came out, without names."""
    if isinstance(value, list | tuple | deque):
        return f"{type(value).__name__}({', '.join(_form(tf, part) for part in value)})"
    if isinstance(value, tf.Tensor):
        return f"{value.op.type} {value.shape} {value.dtype.name}"
    return value.type if isinstance(value, tf.Operation) else type(value).__name__


def _asked(tf, functions, kinds=KINDS):
    """What every function makes of every kind: the form of the result, or "refused"."""
    answers = {}
    for name, function in functions.items():
        for kind in kinds:
            with tf.Graph().as_default():
                try:
                    answers[f"{name}, {kind}"] = _form(tf, function(KINDS[kind]))
                except Exception:
                    answers[f"{name}, {kind}"] = "refused"
    return answers


def _tensors(tf):
    return [tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])]


def _variables(tf):
    return [tf.get_variable(name, [2], use_resource=False) for name in "vw"]


def _product(tf, what):
    """A pair of tensors or variables, and something to differentiate."""
    pair = what(tf)
    return pair, tf.reduce_sum(pair[0] * pair[1])


@question
def variables_to_train(tf):
    def asking(method):
        def ask(kind):
            pair, loss = _product(tf, _variables)
            optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
            return getattr(optimizer, method)(loss, var_list=kind(pair))

        return ask

    def apply(kind):
        pair, loss = _product(tf, _variables)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        return optimizer.apply_gradients(kind(optimizer.compute_gradients(loss, pair)))

    functions = {name: asking(name) for name in ("minimize", "compute_gradients")}
    nested = {
        "nested": lambda _: [[v] for v in _variables(tf)],
        "a dictionary": lambda _: dict(zip("ba", _variables(tf), strict=True)),
    }
    found = _asked(tf, {**functions, "apply_gradients": apply})
    for name, make in nested.items():
        with tf.Graph().as_default():
            given = make(None)
            loss = tf.reduce_sum(sum(v * v for v in tf.trainable_variables()))
            pairs = tf.train.GradientDescentOptimizer(0.1).compute_gradients(loss, given)
            found[name] = [v.name for _, v in pairs]
    return found


@question
def differentiating(tf):
    def xs(kind):
        pair, y = _product(tf, _tensors)
        return tf.gradients(y, kind(pair))

    def ys(kind):
        a, b = _tensors(tf)
        return tf.gradients(kind([a * b, a * b]), [a, b])

    def starting(kind):
        a, b = _tensors(tf)
        return tf.gradients([a * b, a + b], [a, b], grad_ys=kind([a, b]))

    def stopping(kind):
        pair, y = _product(tf, _tensors)
        return tf.gradients(y, pair, stop_gradients=kind(pair))

    def hessian(kind):
        pair, y = _product(tf, _tensors)
        return tf.hessians(y, kind(pair))

    def nested_ys(kind):
        a, b = _tensors(tf)
        return tf.gradients([kind([a * b, a + b]), a], [a, b])

    return _asked(
        tf,
        {
            "xs": xs,
            "ys": ys,
            "grad_ys": starting,
            "stop_gradients": stopping,
            "hessians": hessian,
            "ys, nested": nested_ys,
        },
    )


@question
def joining(tf):
    return _asked(
        tf,
        {
            "stack": lambda kind: tf.stack(kind(_tensors(tf))),
            "concat": lambda kind: tf.concat(kind(_tensors(tf)), 0),
            "add_n": lambda kind: tf.add_n(kind(_tensors(tf))),
            "identity_n": lambda kind: tf.identity_n(kind(_tensors(tf))),
            "dynamic_stitch": lambda kind: tf.dynamic_stitch([[0, 1], [2, 3]], kind(_tensors(tf))),
            "global_norm": lambda kind: tf.global_norm(kind(_tensors(tf))),
            "clip_by_global_norm": lambda kind: tf.clip_by_global_norm(kind(_tensors(tf)), 1.0),
            "embedding_lookup": lambda kind: tf.nn.embedding_lookup(kind(_tensors(tf)), [0, 1]),
            "string_join": lambda kind: tf.string_join(kind(["a", "b"])),
            "merge": lambda kind: tf.summary.merge(kind([tf.summary.scalar(n, 1.0) for n in "ab"])),
        },
    )


@question
def ordering(tf):
    def dependencies(kind):
        with tf.control_dependencies(kind([tensor.op for tensor in _tensors(tf)])):
            return tf.no_op().control_inputs

    return _asked(
        tf,
        {
            "group": lambda kind: tf.group(kind(_tensors(tf))),
            "group, nested": lambda kind: tf.group([kind(_tensors(tf)), tf.no_op()]),
            "control_dependencies": dependencies,
            "tuple": lambda kind: tf.tuple(kind(_tensors(tf))),
            "tuple, control_inputs": lambda kind: tf.tuple(
                _tensors(tf), control_inputs=kind([tf.no_op()])
            ),
            "variables_initializer": lambda kind: tf.variables_initializer(kind(_variables(tf))),
            "report_uninitialized_variables": lambda kind: tf.report_uninitialized_variables(
                kind(_variables(tf))
            ),
        },
    )


@question
def control_flow(tf):
    def condition(a, b):
        return tf.reduce_sum(a) < 5

    def case(kind):
        pairs = [(tf.constant(True), _one(tf)), (tf.constant(False), _one(tf))]
        return tf.case(kind(pairs), default=_one(tf))

    def body_gives(kind):
        return tf.while_loop(condition, lambda a, b: kind([a + 1, b]), _tensors(tf))

    def elements(a):
        return a[0] + a[1]

    return _asked(
        tf,
        {
            "cond": lambda kind: tf.cond(tf.constant(True), *[lambda: kind(_tensors(tf))] * 2),
            "case": case,
            "while_loop": lambda kind: tf.while_loop(
                condition, lambda a, b: [a + 1, b], kind(_tensors(tf))
            ),
            "while_loop, what the body gives": body_gives,
            "map_fn": lambda kind: tf.map_fn(elements, kind(_tensors(tf)), dtype=tf.float32),
            "foldl": lambda kind: tf.foldl(
                lambda a, x: a + x[0], kind(_tensors(tf)), initializer=0.0
            ),
            "py_func": lambda kind: tf.py_func(max, kind(_tensors(tf)), tf.float32),
        },
    )


def _one(tf):
    return lambda: tf.constant(1.0)


@question
def sessions_and_queues(tf):
    def run(kind):
        with tf.Session() as sess:
            return sess.run(kind([tensor.op for tensor in _tensors(tf)]))

    def enqueue(kind):
        return tf.FIFOQueue(4, [tf.float32, tf.float32]).enqueue(kind(_tensors(tf)))

    kinds = [kind for kind in KINDS if kind != "array"]
    return _asked(
        tf,
        {
            "fetches": run,
            "enqueue": enqueue,
            "component types": lambda kind: tf.FIFOQueue(4, kind([tf.float32, tf.int32])),
            "batch": lambda kind: tf.train.batch(kind(_tensors(tf)), 2),
        },
        kinds,
    )


@question
def elements_of_datasets(tf):
    Dataset = tf.data.Dataset

    def form(dataset):
        return str((dataset.output_types, dataset.output_shapes)).replace("'", "")

    functions = {
        "from_tensors": Dataset.from_tensors,
        "from_tensor_slices": Dataset.from_tensor_slices,
        "a part": lambda items: Dataset.from_tensors((items, 1)),
        "map": lambda items: Dataset.range(2).map(lambda _: items),
        "TextLineDataset": tf.data.TextLineDataset,
    }
    kinds = ("list", "values", "keys", "ordered values")
    some = tf.data.experimental.sample_from_datasets(
        {1: Dataset.range(3), 2: Dataset.range(3)}.values()
    )
    return {"datasets": form(some)} | {
        f"{name}, {kind}": form(function(KINDS[kind](["a", "b"])))
        for name, function in functions.items()
        for kind in kinds
    }


@question
def nesting(tf):
    letters = {"b": 2, "a": 1}
    given = {
        "values": letters.values(),
        "keys": letters.keys(),
        "items": letters.items(),
        "deque": deque([1, 2]),
        "range": range(3),
        "bytes": b"ab",
        "set": {1},
        "str": "ab",
        "array": np.array([1, 2]),
        "shape": tf.TensorShape([1, 2]),
        "ordered": OrderedDict(letters),
    }
    same, values = tf.nest.assert_same_structure, letters.values()
    phrase = "don't have the same sequence type"
    return {
        "nested": {name: tf.nest.is_nested(value) for name, value in given.items()},
        "leaves": {name: tf.nest.flatten(value) for name, value in given.items()},
        "rebuilt": {
            name: type(tf.nest.map_structure(lambda leaf: leaf, value)).__name__
            for name, value in given.items()
        },
        "a list and a view": says(phrase, same, [1, 2], values),
        "a list and a deque": says(phrase, same, [1, 2], deque([1, 2])),
        "two views": same(values, values),
        "whatever the type": same(values, [1, 2], check_types=False),
        "two kinds of dictionaries": same(OrderedDict(letters), letters),
    }


_VIEWS = ("values", "keys", "ordered values")
_ONCE = ("generator", "map")
_IDENTITIES = "'list(Identity (2,) float32, Identity (2,) float32)'"
_PRODUCTS = "'list(Mul (2,) float32, Mul (2,) float32)'"
_SUMS = "'list(AddN (2,) float32, AddN (2,) float32)'"
_MORE = {  # question and function -> kinds that TensorFlow refuses, and the answer here
    ("differentiating", "xs"): (_VIEWS, _PRODUCTS),
    ("differentiating", "stop_gradients"): (_VIEWS, _PRODUCTS),
    ("differentiating", "grad_ys"): (_VIEWS, _SUMS),
    ("ordering", "tuple"): ((*_ONCE, "array"), _IDENTITIES),
    ("ordering", "variables_initializer"): (("array",), "'NoOp'"),
    ("ordering", "report_uninitialized_variables"): ((*_ONCE, "array"), "'GatherV2 (?,) string'"),
    ("sessions_and_queues", "batch"): (
        _ONCE,
        "'list(QueueDequeueManyV2 (2, 2) float32, QueueDequeueManyV2 (2, 2) float32)'",
    ),
}

DIFFERENCES = {
    (name, f"{function}, {kind}"): (answer, "what it means is clear: taken as a list is")
    for (name, function), (kinds, answer) in _MORE.items()
    for kind in kinds
}
