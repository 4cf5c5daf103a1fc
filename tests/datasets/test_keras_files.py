"""`tf.keras.datasets`, but for MNIST: what is in Keras' folder is read, and never unpickled."""

import json
import pickle  # noqa: TID251  # to write what is read without it

import numpy as np
import pytest

import tests.datasets.test_mnist as mnist_files
import tinytf as tf

datasets = tf.keras.datasets


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    (tmp_path / "datasets").mkdir()
    return tmp_path / "datasets"


def test_fashion_mnist(folder):
    images, labels = mnist_files.write_files(folder / "fashion-mnist")
    _, found = datasets.fashion_mnist.load_data()
    np.testing.assert_array_equal(found[0], images)
    np.testing.assert_array_equal(found[1], labels)


def test_boston_housing(folder):
    x = np.arange(30.0).reshape(10, 3)
    np.savez(folder / "boston_housing.npz", x=x, y=x[:, 0])
    (x_train, y_train), (x_test, y_test) = datasets.boston_housing.load_data()
    assert (len(x_train), len(x_test)) == (8, 2)
    order = np.arange(10)
    np.random.RandomState(113).shuffle(order)  # as TensorFlow's
    np.testing.assert_array_equal(np.concatenate([x_train, x_test]), x[order])
    np.testing.assert_array_equal(np.concatenate([y_train, y_test]), x[order, 0])
    with pytest.raises(ValueError, match="from 0 to below 1, got 1"):
        datasets.boston_housing.load_data(test_split=1)
    elsewhere = folder / "elsewhere.npz"
    np.savez(elsewhere, x=x, y=x[:, 0])
    assert len(datasets.boston_housing.load_data(str(elsewhere), test_split=0.5)[0][0]) == 5


def python_2_batch(pixels, labels):
    """A batch as Python 2 pickled it, with texts of bytes; not by pickle: it writes no such."""
    data = pixels.tobytes()
    numbers = b"".join(b"K" + bytes([label]) for label in labels)
    return (
        b"\x80\x02}q\x01(U\x04dataq\x02T" + len(data).to_bytes(4, "little") + data + b"q\x03"
        b"U\x06labelsq\x04]q\x05(" + numbers + b"eU\x0bbatch_labelq\x06U\x04testq\x07"
        b"U\x09filenamesq\x08]q\x09(U\x05a.pngq\x0aK\x07eu."
    )


@pytest.mark.parametrize("python", [2, 3])
def test_cifar10(folder, python):
    unpacked = folder / "cifar-10-batches-py"
    unpacked.mkdir()
    pixels = np.random.RandomState(1).randint(0, 256, [4, 3072]).astype(np.uint8)
    labels = [3, 1, 9, 0]
    content = python_2_batch(pixels, labels)
    if python == 3:
        content = pickle.dumps({"data": pixels, "labels": labels})
    for name in ["test_batch", *(f"data_batch_{number}" for number in range(1, 6))]:
        (unpacked / name).write_bytes(content)
    (x_train, y_train), (x_test, y_test) = datasets.cifar10.load_data()
    assert x_train.shape == (20, 32, 32, 3)
    assert y_train.shape == (20, 1)
    np.testing.assert_array_equal(x_test, pixels.reshape(4, 3, 32, 32).transpose(0, 2, 3, 1))
    assert y_test[:, 0].tolist() == labels
    (unpacked / "test_batch").write_bytes(content[:-3000])
    with pytest.raises(tf.errors.DataLossError, match="is no file of CIFAR-10"):
        datasets.cifar10.load_data()


class Trap:
    def __reduce__(self):
        return print, ("this must not run",)


def test_nothing_is_unpickled(folder, capsys):
    unpacked = folder / "cifar-10-batches-py"
    unpacked.mkdir()
    trap = pickle.dumps({"data": Trap(), "labels": [1]})
    for name in ["test_batch", *(f"data_batch_{number}" for number in range(1, 6))]:
        (unpacked / name).write_bytes(trap)
    with pytest.raises(tf.errors.DataLossError):
        datasets.cifar10.load_data()
    np.savez(folder / "mnist.npz", x_train=np.array([Trap()], object))
    with pytest.raises(tf.errors.DataLossError, match="cannot be read"):
        datasets.mnist.load_data()
    for texts in (datasets.imdb, datasets.reuters):
        with pytest.raises(tf.errors.UnimplementedError, match="pickled Python objects"):
            texts.load_data(num_words=1000)
    assert capsys.readouterr().out == ""


def test_words(folder):
    (folder / "imdb_word_index.json").write_text(json.dumps({"the": 1}))
    assert datasets.imdb.get_word_index() == {"the": 1}
    with pytest.raises(tf.errors.NotFoundError, match=r"reuters_word_index.json http"):
        datasets.reuters.get_word_index()
    (folder / "imdb_word_index.json").write_text("{")
    with pytest.raises(tf.errors.DataLossError, match="is no JSON"):
        datasets.imdb.get_word_index()


def test_what_is_missing(folder):
    for module, name in [
        (datasets.boston_housing, "boston_housing.npz"),
        (datasets.fashion_mnist, "fashion-mnist/train-images-idx3-ubyte.gz"),
        (datasets.cifar10, "cifar-10-batches-py.tar.gz"),
    ]:
        with pytest.raises(tf.errors.NotFoundError, match=f"curl -L -o {folder / name} http"):
            module.load_data()
    (folder / "cifar-10-batches-py.tar.gz").write_bytes(b"")
    with pytest.raises(tf.errors.NotFoundError, match="tar -xzf"):
        datasets.cifar10.load_data()
    with pytest.raises(AttributeError, match="no attribute 'tomato'"):
        _ = datasets.mnist.tomato
