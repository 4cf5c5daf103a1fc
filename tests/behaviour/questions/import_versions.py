"""Importing graphs: names in a scope that is there already, mapped outputs, versions."""

from tests.behaviour.asking import question, says


def _graph_def(tf, producer=None, min_consumer=None, bad_consumers=(), shape=()):
    with tf.Graph().as_default() as graph:
        tf.placeholder(tf.float32, list(shape) if shape is not None else None, name="p")
        tf.add(tf.placeholder(tf.float32, [2], name="q"), 1.0, name="s")
        tf.constant(1.0, name="A")
    result = graph.as_graph_def()
    if producer is not None:
        result.versions.producer = producer
    if min_consumer is not None:
        result.versions.min_consumer = min_consumer
    result.versions.bad_consumers.extend(bad_consumers)
    return result


def _names(tf, *prefixes, scope=None):
    """All operations after imports with these prefixes."""
    with tf.Graph().as_default() as graph:
        with tf.name_scope(scope or ""):
            for prefix in prefixes:
                tf.import_graph_def(_graph_def(tf), name=prefix)
        return [op.name for op in graph.get_operations()]


@question
def names(tf):
    cases = [
        ("A/", "A/"),
        ("A/", "A/", "A/"),
        ("A", "A"),
        ("A/", "A"),
        ("A", "A/"),
        ("", ""),
        (None, None),
        ("A/B/", "A/B/"),
        ("A/B", "A/"),
        ("A/", ""),
        ("", "A/"),
        ("p/x/", ""),
    ]
    answers = {" ".join(map(repr, prefixes)): _names(tf, *prefixes) for prefixes in cases}
    return answers | {"in a scope": _names(tf, "A/", "A/", "", "A", scope="S")}


@question
def mapped_inputs(tf):
    def imported(key):
        with tf.Graph().as_default():
            x = tf.constant([5.0, 5.0], name="x")
            sums = tf.import_graph_def(_graph_def(tf), input_map={key: x}, return_elements=["s:0"])
            return [tensor.name for tensor in sums[0].op.inputs]

    phrase = "Attempted to map inputs that were not found in graph_def"
    answers = {key: imported(key) for key in ("q", "q:0", "s", "s:0", "A", "p")}
    missing = ("q:1", "q:5", "s:1", "A:1", "p:1", "zz", "zz:0", "q:01")
    return answers | {key: says(phrase, imported, key) for key in missing}


def _versions(versions):
    return [versions.producer, versions.min_consumer, list(versions.bad_consumers)]


def _after(tf, *graph_defs):
    """The versions of a graph that these were imported into, and the shape of a placeholder."""
    with tf.Graph().as_default() as graph:
        for number, graph_def in enumerate(graph_defs):
            tf.import_graph_def(graph_def, name=f"i{number}")
        kept = _versions(graph.graph_def_versions)
        exported = _versions(graph.as_graph_def().versions)
        shapes = [str(graph.get_tensor_by_name(f"i0/{name}:0").shape) for name in "pqs"]
        return kept, exported == kept, shapes, str(tf.placeholder(tf.float32, []).shape)


@question
def versions(tf):
    own = tf.Graph().graph_def_versions.producer
    producers = (None, 0, 1, 8, 20, 21, 22, 23, 24, 27, own, own + 1)
    bad = [(own - 1, own + 1), (4, 1), (0,), (-1,)]
    return {
        "own": _versions(tf.Graph().graph_def_versions),
        **{f"producer {p}": _after(tf, _graph_def(tf, p)) for p in producers},
        **{f"consumer {m}": _after(tf, _graph_def(tf, 30, m)) for m in (0, 1, 12, own, -1)},
        **{f"bad {b}": _after(tf, _graph_def(tf, None, None, b)) for b in bad},
        "older, then newer": _after(tf, _graph_def(tf, 20, 5, (3,)), _graph_def(tf, 22, 7, (4,))),
        "newer, then older": _after(tf, _graph_def(tf, 30, 7, (4, 3)), _graph_def(tf, 22, 5, (4,))),
        "no versions": _after(tf, tf.GraphDef(node=_graph_def(tf).node)),
        "meta graph": _after_meta_graph(tf),
    }


def _after_meta_graph(tf):
    meta_graph = tf.MetaGraphDef()
    meta_graph.graph_def.CopyFrom(_graph_def(tf, 20, 5, (3,)))
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(meta_graph)
        exported = tf.train.export_meta_graph()
        return _versions(graph.graph_def_versions), _versions(exported.graph_def.versions)


@question
def versions_refused(tf):
    own = tf.Graph().graph_def_versions.producer

    def after_failing():
        with tf.Graph().as_default() as graph:
            broken = _graph_def(tf, 20)
            broken.node[-1].op = "Identity"
            try:
                tf.import_graph_def(broken)
            except ValueError:
                return graph.graph_def_versions.producer == own

    return {
        "producer": says(
            "GraphDef producer version -1 below min producer 0 supported by",
            tf.import_graph_def,
            _graph_def(tf, -1),
        ),
        "min consumer": says(
            f"GraphDef min consumer version {own + 1} above current version {own}",
            tf.import_graph_def,
            _graph_def(tf, None, own + 1),
        ),
        "bad consumer": says(
            f"GraphDef disallows consumer version {own}",
            tf.import_graph_def,
            _graph_def(tf, None, None, (own,)),
        ),
        "it stays as it was": after_failing(),
    }


@question
def placeholders_of_old_graphs(tf):
    def shapes(producer, shape):
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(_graph_def(tf, producer, shape=shape), name="")
            kept = graph.as_graph_def().node[0].attr["shape"].shape
            p = graph.get_tensor_by_name("p:0")
            return str(p.shape), kept.unknown_rank, len(kept.dim)

    def fed():
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.import_graph_def(_graph_def(tf, 20), name="")
            return sess.run("p:0", {"p:0": [1.0, 2.0]})

    return {
        **{
            f"{shape} of {producer}": shapes(producer, shape)
            for producer in (1, 21, 22, 24)
            for shape in ((), (2,), (None,), None)
        },
        "fed a vector": fed(),
    }
