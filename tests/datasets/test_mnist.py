"""MNIST as the tutorials read it: files, batches, the course's digits."""

import gzip
import io

import numpy as np
import pytest

import tinytf as tf
from tinytf.datasets import course_digits, files, mnist

mnist_keras = tf.keras.datasets.mnist


def zipped(content):
    """The same bytes whenever it is called: a test has them in its name."""
    return gzip.compress(content, mtime=0)


@pytest.fixture(autouse=True)
def nothing_here(monkeypatch, tmp_path):
    monkeypatch.delenv(files.VARIABLE, raising=False)
    monkeypatch.setenv("KERAS_HOME", str(tmp_path / "keras"))
    monkeypatch.setattr(mnist, "USUAL", [str(tmp_path / "usual")])
    monkeypatch.chdir(tmp_path)


def idx(array, magic):
    header = b"".join(number.to_bytes(4, "big") for number in (magic, *array.shape))
    return zipped(header + array.tobytes())


def write_files(folder, training=30, testing=10):
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    for names, count in ((mnist.TRAINING, training), (mnist.TESTING, testing)):
        images = random.randint(0, 256, [count, 28, 28]).astype(np.uint8)
        labels = random.randint(0, 10, [count]).astype(np.uint8)
        (folder / names[0]).write_bytes(idx(images, 2051))
        (folder / names[1]).write_bytes(idx(labels, 2049))
    return images, labels


def test_the_four_files(tmp_path):
    images, labels = write_files(tmp_path / "MNIST_data")
    found = mnist.read_data_sets("MNIST_data/", one_hot=True, validation_size=5)
    assert [one.num_examples for one in found] == [25, 5, 10]
    assert found.train.images.dtype == np.float32
    np.testing.assert_array_equal(
        found.test.images, images.reshape(10, 784).astype(np.float32) * np.float32(1 / 255)
    )
    assert found.test.labels.argmax(1).tolist() == labels.tolist()
    assert found.test.labels.dtype == np.float64
    plain = mnist.read_data_sets(
        tmp_path / "MNIST_data", dtype=tf.uint8, reshape=False, validation_size=0
    )
    np.testing.assert_array_equal(plain.test.images, images[..., None])
    assert plain.test.labels.tolist() == labels.tolist()


def test_batches_go_from_epoch_to_epoch():
    images = np.arange(5, dtype=np.uint8).reshape(5, 1, 1, 1)
    data = mnist.DataSet(images, np.arange(5), dtype=tf.uint8, seed=3)
    taken = [data.next_batch(2) for _ in range(5)]
    assert [len(labels) for _, labels in taken] == [2, 2, 2, 2, 2]
    for pixels, labels in taken:
        assert pixels[:, 0].tolist() == labels.tolist()
    order = [number for _, labels in taken for number in labels.tolist()]
    assert sorted(order[:5]) == sorted(order[5:]) == [0, 1, 2, 3, 4]
    assert data.epochs_completed == 1
    again = mnist.DataSet(images, np.arange(5), dtype=tf.uint8, seed=3)
    assert [again.next_batch(2)[1].tolist() for _ in range(5)] == [
        labels.tolist() for _, labels in taken
    ]
    still = mnist.DataSet(images, np.arange(5), dtype=tf.uint8)
    assert [still.next_batch(2, shuffle=False)[1].tolist() for _ in range(3)] == [
        [0, 1],
        [2, 3],
        [4, 0],
    ]


def test_fake_data():
    found = mnist.read_data_sets("nowhere", fake_data=True, one_hot=True)
    assert found.train.num_examples == 10000
    images, labels = found.train.next_batch(3, fake_data=True)
    assert images == [[1] * 784] * 3
    assert labels == [[1] + [0] * 9] * 3


def test_mistakes(tmp_path):
    write_files(tmp_path / "data")
    with pytest.raises(ValueError, match=r"between 0 and 30\. Received: 5000"):
        mnist.read_data_sets("data")
    with pytest.raises(TypeError, match="expected uint8 or float32"):
        mnist.read_data_sets("data", dtype=tf.int32, validation_size=0)
    with pytest.raises(ValueError, match="do not fit"):
        mnist.DataSet(np.zeros([2, 1, 1, 1]), np.zeros([3]))


def test_other_places(tmp_path):
    write_files(tmp_path / "usual")
    assert mnist.read_data_sets("nowhere", validation_size=0).train.num_examples == 30
    (tmp_path / "usual" / mnist.TESTING[1]).unlink()  # all four, or none
    folder = tmp_path / "keras" / "datasets"
    folder.mkdir(parents=True)
    arrays = {"x_train": np.zeros([4, 28, 28], np.uint8), "y_train": np.arange(4)}
    arrays |= {"x_test": np.zeros([2, 28, 28], np.uint8), "y_test": np.arange(2)}
    np.savez(folder / "mnist.npz", **arrays)
    assert mnist.read_data_sets("nowhere", validation_size=0).train.num_examples == 4
    (_, labels), _ = mnist_keras.load_data()
    assert labels.tolist() == [0, 1, 2, 3]


def test_what_is_missing_and_where_to_put_it(tmp_path):
    with pytest.raises(tf.errors.NotFoundError) as caught:
        mnist.read_data_sets("MNIST_data")
    said = str(caught.value)
    for name in (*mnist.TRAINING, *mnist.TESTING):
        assert f"curl -L -o MNIST_data/{name} {mnist.DEFAULT_SOURCE_URL}{name}" in said
    assert "mkdir -p MNIST_data" in said
    assert "tinytf run --digits" in said
    assert str(tmp_path / "usual") in said
    with pytest.raises(tf.errors.NotFoundError, match=r"keras/datasets/mnist.npz http"):
        mnist_keras.load_data()


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        (b"text", tf.errors.DataLossError, "is no gzip file"),
        (zipped(b"\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x02abc"), None, "3 of 8 bytes"),
        (zipped(b"\0\0\x08\x03" + b"\xff" * 12), None, "says that it holds"),
        (zipped(b"\0\0\x08"), None, "ends in its header"),
        (zipped(b"\0\0\x08\x01\0\0\0\x02ab"), ValueError, "Invalid magic number 2049"),
        (zipped(b"\0\0\x08\x03\0\0\0\x02" * 9)[:-9], None, "is no gzip file"),
    ],
)
def test_damaged_files(content, error, words):
    with pytest.raises(error or tf.errors.DataLossError, match=words):
        mnist.extract_images(io.BytesIO(content))


def test_the_course_s_digits(monkeypatch):
    monkeypatch.setenv(files.VARIABLE, "digits")
    (images, labels), (test_images, test_labels) = mnist_keras.load_data()
    assert images.shape == (60000, 28, 28)
    assert test_images.shape == (10000, 28, 28)
    assert labels.shape == (60000,)
    assert test_labels.shape == (10000,)
    assert images.dtype == labels.dtype == np.uint8
    assert images.max() == 255
    assert labels[:1500].tolist() == labels[1500:3000].tolist()
    assert not (images[:1500] == images[1500:3000]).all()


def test_the_course_is_not_there(monkeypatch, tmp_path):
    monkeypatch.setenv(files.VARIABLE, "digits")
    monkeypatch.setattr(course_digits, "FILE", tmp_path / "digits.csv")
    with pytest.raises(tf.errors.NotFoundError, match="come with the repository"):
        mnist.read_data_sets("data")


def test_the_paths_by_which_programs_import_it():
    from tinytf.contrib.learn.python.learn.datasets.mnist import read_data_sets
    from tinytf.examples.tutorials.mnist import input_data

    assert input_data is tf.contrib.learn.datasets.mnist is mnist
    assert read_data_sets is mnist.read_data_sets
    with pytest.raises(ValueError, match="not found: iris"):
        tf.contrib.learn.datasets.load_dataset("iris")
