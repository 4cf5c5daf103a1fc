"""The methods of datasets as an editor sees them: completed along a chain, with their arguments."""

import inspect
from pathlib import Path

import jedi
import pytest

import tinytf as tf

PROJECT = jedi.Project(Path(tf.__file__).parents[1])
METHODS = [
    name
    for name, method in inspect.getmembers(tf.data.Dataset, callable)
    if not name.startswith("_")
]


@pytest.fixture(autouse=True, scope="module")
def own_cache(tmp_path_factory):
    """Nothing comes from others.

    What Jedi has parsed is kept on disk, where other processes write and tidy up, too. And of code
    that is in no file it parses only what is new since the code before, whoever had it looked at.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jedi.settings, "cache_directory", str(tmp_path_factory.mktemp("jedi")))
        patch.setattr(jedi.settings, "fast_parser", False)
        yield


def names_after(code):
    """The names that an editor, which runs nothing, offers at the end of some code."""
    script = jedi.Script(f"import tinytf as tf\n{code}", project=PROJECT)
    return {found.name for found in script.complete()}


@pytest.mark.parametrize(
    "dataset",
    [
        "tf.data.Dataset",
        "tf.data.Dataset.range(3)",
        "tf.data.Dataset.from_tensor_slices([1, 2]).map(abs)",
        "tf.data.Dataset.range(3).map(abs).batch(2).take(2)",
        "tf.data.TextLineDataset('a.txt').skip(1)",
    ],
)
def test_an_editor_offers_all_methods_along_a_chain(dataset):
    assert set(METHODS) <= names_after(f"{dataset}.")


def test_an_editor_offers_the_methods_of_an_iterator():
    one_shot = "tf.data.Dataset.range(3).make_one_shot_iterator()"
    assert {"get_next", "output_types"} <= names_after(f"{one_shot}.")


@pytest.mark.parametrize("name", METHODS)
def test_a_method_has_its_name_and_a_text(name):
    method = getattr(tf.data.Dataset, name)
    assert method.__name__ == name
    assert len(inspect.getdoc(method)) > 10


def test_an_editor_shows_the_arguments_of_a_method():
    code = "import tinytf as tf\ntf.data.Dataset.range(3).map("
    (signature,) = jedi.Script(code, project=PROJECT).get_signatures()
    arguments = [parameter.name for parameter in signature.params]
    assert arguments == ["map_func", "num_parallel_calls", "deterministic", "name"]
    assert list(inspect.signature(tf.data.Dataset.map).parameters) == ["self", *arguments]
