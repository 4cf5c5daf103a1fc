"""Checks of ch01.ex3."""

import numpy as np

import tinytf as tf
from tinytf.grading import Wrong, point

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)


def built(answer, x, units, name):
    """What the answer returns, checked to be a tensor; a refusal to reuse is told in words."""
    try:
        made = answer(x, units, name)
    except ValueError as error:
        text = str(error).splitlines()[0]
        if "already exists" in text:
            raise Wrong(
                f"layer(..., {name!r}) was called a second time, and fails: "
                f"{text.partition(' Originally defined')[0]}",
                hint="get_variable refuses a name that exists, unless its scope allows reuse",
            ) from None
        if "does not exist" in text:
            raise Wrong(
                f"layer(..., {name!r}) fails when it is called first: {text}",
                hint="reuse=True says that the variable exists already; at first it does not",
            ) from None
        if "from the same graph" in text:
            raise Wrong(
                f"layer(..., {name!r}) uses variables of a graph that is gone: "
                f"{text.partition(' (graphs')[0]}",
                hint="what Python remembers outlives a graph. The graph itself knows its variables "
                "by name",
            ) from None
        raise
    if not isinstance(made, tf.Tensor):
        raise Wrong("layer(...) must return a tensor", "a tensor", repr(made))
    return made


def variables(name):
    """The trainable variables of a layer: w and b."""
    found = {one.op.name: one for one in tf.trainable_variables()}
    for one in ("w", "b"):
        if f"{name}/{one}" not in found:
            hint = ""
            if f"{name}/{one}" in {every.op.name for every in tf.global_variables()}:
                hint = "there is one, but it is not trainable"
            elif any(other.endswith(f"/{one}") or other == one for other in found):
                hint = "variables of get_variable are named after variable scopes: use the name"
            raise Wrong(
                f"there is no trainable variable {name}/{one}",
                f"{name}/w, {name}/b",
                ", ".join(found) or "none",
                hint=hint,
            )
    return found[f"{name}/w"], found[f"{name}/b"]


def same(what, got, wanted):
    """Whether two arrays agree, in shape and numbers."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    if got.shape != wanted.shape:
        raise Wrong(f"{what} has another shape", wanted.shape, got.shape)
    if not np.allclose(got, wanted, atol=1e-5):
        raise Wrong(f"{what} is wrong", wanted.tolist(), got.tolist())


@point("the result is x * w + b, with the trainable variables name/w and name/b", 1)
def result(answer):
    y = built(answer, tf.constant(X), 2, "dense")
    w, b = variables("dense")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        same("b, at the start,", session.run(b), np.zeros(2))
        weights = np.arange(6, dtype=np.float32).reshape(3, 2)
        w.load(weights, session)
        b.load([10.0, 20.0], session)
        same("x * w + b", session.run(y), X @ weights + [10.0, 20.0])


@point("a second call with the same name uses the same variables", 2)
def shared(answer):
    left = built(answer, tf.constant(X), 2, "dense")
    before = {one.op.name for one in tf.global_variables()}
    right = built(answer, tf.constant(X), 2, "dense")
    new = sorted({one.op.name for one in tf.global_variables()} - before)
    if new:
        raise Wrong(
            "a second call with the same name makes new variables",
            "none",
            ", ".join(new),
            hint="tf.Variable always makes a new one, under another name if it must",
        )
    w, _ = variables("dense")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(tf.assign_add(w, tf.ones_like(w)))
        same("the result of the second call, for the same x,", *session.run([right, left]))


@point("another name means other variables", 1)
def apart(answer):
    one = built(answer, tf.constant(X), 2, "one")
    try:
        other = built(answer, one, 4, "other")
    except ValueError as error:
        raise Wrong(
            "a second layer, of another name and size, fails: " + str(error).splitlines()[0],
            hint="do both calls ask for the same variable?",
        ) from None
    (first, _), (second, _) = variables("one"), variables("other")
    if first is second or second.shape.as_list() != [2, 4]:
        raise Wrong("the w of the other layer has another shape", [2, 4], second.shape.as_list())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(one)
        second.load(np.ones([2, 4], np.float32), session)
        same("one layer, after the weights of the other changed,", session.run(one), before)
        same("the other layer", session.run(other), before @ np.ones([2, 4]))


@point("in a new graph it begins anew", 1)
def new_graph(answer):
    for _ in range(2):
        with tf.Graph().as_default():
            y = built(answer, tf.constant(X), 2, "dense")
            variables("dense")
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                same("the result in a new graph", session.run(y).shape, (2, 2))
