"""What `tf.keras.datasets.imdb` and `reuters` share: their words are read, their texts are not."""

from __future__ import annotations

import json
from pathlib import Path

from tinytf.datasets.files import KERAS, find, folder_of, keras_folder
from tinytf.framework import errors


def refusal(name: str) -> errors.UnimplementedError:
    """The error that `load_data` raises.

    Example:
      >>> raise refusal("imdb")
      UnimplementedError: .../imdb.npz holds pickled Python objects ...
    """
    file = keras_folder() / f"{name}.npz"
    return errors.UnimplementedError(
        f"{file} holds pickled Python objects, lists of different lengths: reading it runs "
        "whatever code is in it, so tinytf does not. If you trust your copy, write in the "
        f"program:\n\n    found = np.load({str(file)!r}, allow_pickle=True)\n\n"
        f"It comes from {KERAS}{name}.npz, and has what load_data shuffles and sorts rare words "
        "out of; Keras' documentation tells how."
    )


def word_index(path: str, name: str) -> dict[str, int]:
    """Words -> their rank, from a JSON file.

    Example:
      >>> word_index("imdb_word_index.json", "imdb")["the"]  # doctest: +SKIP
      1
    """
    file = folder_of(path) / Path(path).name
    find({file.name: f"{KERAS}{name}_word_index.json"}, [file.parent], f"{name}'s words")
    try:
        found: dict[str, int] = json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise errors.DataLossError(f"{file} is no JSON, or is damaged: {error}") from error
    return found
