"""`tf.contrib.predictor`: a model as a function of arrays."""

from __future__ import annotations

import os
from typing import Any

from tinytf.framework.graph import Graph
from tinytf.saved_model.loader import load as load_model
from tinytf.saved_model.loader import meta_graph_of, parse_saved_model
from tinytf.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from tinytf.saved_model.tag_constants import SERVING
from tinytf.session.session import Session


class Predictor:
    """Computes a model's outputs of arrays (TensorFlow: `contrib.predictor.Predictor`).

    Args:
      session: that has the values; close it when no more is to be computed.
      feed_tensors, fetch_tensors: name -> tensor.

    Attributes:
      session, feed_tensors, fetch_tensors: these. graph: the session's.

    Example:
      >>> from tinytf.saved_model.predictor import Predictor
      >>> x = tf.placeholder(tf.float32)
      >>> predictor = Predictor(sess, {"x": x}, {"y": x + 1.0})
      >>> print(predictor({"x": 1.0})["y"])
      2.0
    """

    def __init__(self, session: Any, feed_tensors: dict[str, Any], fetch_tensors: dict[str, Any]):
        self.session, self.graph = session, session.graph
        self.feed_tensors, self.fetch_tensors = feed_tensors, fetch_tensors

    def __call__(self, input_dict: dict[str, Any]) -> dict[str, Any]:
        """The outputs by name.

        Args:
          input_dict: the inputs by name.

        Raises:
          ValueError: if a name is not one of the inputs.
        """
        if unexpected := set(input_dict) - set(self.feed_tensors):
            raise ValueError(
                f"Got unexpected keys in input_dict: {sorted(unexpected)}\n"
                f"expected: {sorted(self.feed_tensors)}"
            )
        feeds = {self.feed_tensors[key]: value for key, value in input_dict.items()}
        results: dict[str, Any] = self.session.run(self.fetch_tensors, feeds)
        return results

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__} with feed tensors {self.feed_tensors} and fetch_tensors "
            f"{self.fetch_tensors}"
        )


def from_saved_model(
    export_dir: str | os.PathLike[str],
    signature_def_key: str | None = None,
    signature_def: Any = None,
    input_names: dict[str, str] | None = None,
    output_names: dict[str, str] | None = None,
    tags: str | None = None,
    graph: Graph | None = None,
    config: Any = None,
) -> Predictor:
    """A model as a function (TensorFlow: `tf.contrib.predictor.from_saved_model`).

    Args:
      export_dir: the model's folder.
      signature_def_key: which signature; by default "serving_default". signature_def: or one that
        is given. input_names, output_names: or name -> name of a tensor.
      tags: those of the graph, with commas between; by default "serve".
      graph: where the model's is added; by default one of its own. config: of the session.

    Returns:
      a `Predictor`.

    Raises:
      ValueError: if more than one of the ways to say the signature is used, or there is no such
        signature. OSError, RuntimeError: as `tf.saved_model.load` does.

    Example:
      >>> x = tf.placeholder(tf.float32)
      >>> tf.saved_model.simple_save(sess, "./plus_one", {"x": x}, {"y": x + 1.0})
      >>> tf.contrib.predictor.from_saved_model("./plus_one")({"x": [1.0, 2.0]})
      {'y': array([2., 3.], dtype=float32)}
    """
    if bool(input_names) != bool(output_names):
        raise ValueError("input_names and output_names must both be specified or both be None.")
    given = signature_def_key is not None, signature_def is not None, input_names is not None
    if sum(given) > 1:
        raise ValueError(
            "You must specify at most one of signature_def_key OR signature_def OR "
            "(input_names AND output_names)."
        )
    found_tags = (tags or SERVING).split(",")
    if input_names is None:
        meta_graph = meta_graph_of(parse_saved_model(export_dir), found_tags)
        signature_def = signature_def or _signature(meta_graph, signature_def_key)
        input_names = {key: _dense(key, info) for key, info in signature_def.inputs.items()}
        output_names = {key: _dense(key, info) for key, info in signature_def.outputs.items()}
    graph = graph or Graph()
    with graph.as_default():
        session = Session(config=config)
        load_model(session, found_tags, export_dir)
    return Predictor(
        session,
        {key: graph.get_tensor_by_name(name) for key, name in input_names.items()},
        {key: graph.get_tensor_by_name(name) for key, name in (output_names or {}).items()},
    )


def _signature(meta_graph: Any, key: str | None) -> Any:
    key = key or DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if key not in meta_graph.signature_def:
        raise ValueError(
            f'Got signature_def_key "{key}". Available signatures are '
            f"{sorted(meta_graph.signature_def)}."
        )
    return meta_graph.signature_def[key]


def _dense(key: str, info: Any) -> str:
    if info.WhichOneof("encoding") != "name":
        raise ValueError(f"Sparse tensors are not supported: {key!r} is one.")
    name: str = info.name
    return name
