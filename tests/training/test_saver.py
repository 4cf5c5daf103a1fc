"""Savers: what is kept, what is told, and what a failure leaves."""

import logging
import os

import numpy as np
import pytest

import tinytf as tf
from tinytf.training import saver as saver_module


@pytest.fixture(autouse=True)
def own_graph(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with tf.Graph().as_default():
        yield


@pytest.fixture
def session():
    with tf.Session() as session:
        yield session


def names(folder="."):
    return sorted(path for path in os.listdir(folder) if path.endswith(".index"))


def counter(session, **settings):
    """A variable and its saver."""
    v = tf.Variable(0.0, name="v")
    saver = tf.train.Saver(**settings)
    session.run(v.initializer)
    return v, saver


# Names and files ----------------------------------------------------------------------------------


def test_values_come_back_of_every_kind_of_variable(session):
    reference = tf.Variable([1.0, 2.0], name="reference", use_resource=False)
    resource = tf.Variable(3, name="resource", use_resource=True)
    whole = tf.get_variable(
        "whole", [6], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2)
    )
    with tf.variable_scope("resource_parts", use_resource=True):
        parts = tf.get_variable(
            "w", [5], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(3)
        )
    text = tf.Variable([b"a", b"\0\xff"], name="text", use_resource=False)
    fetches = [reference, resource, whole.as_tensor(), parts.as_tensor(), text]
    saver = tf.train.Saver()
    session.run(tf.global_variables_initializer())
    session.run([part.assign_add(part * number) for number, part in enumerate([*whole, *parts])])
    before = session.run(fetches)
    path = saver.save(session, "model")
    with tf.Session() as other:
        saver.restore(other, path)
        for old, new in zip(before, other.run(fetches), strict=True):
            np.testing.assert_array_equal(old, new)
    assert [name for name, _ in tf.train.list_variables(path)] == [
        "reference",
        "resource",
        "resource_parts/w",
        "text",
        "whole",
    ]


@pytest.mark.parametrize("as_dict", [False, True])
def test_lists_and_dicts_choose_what_is_saved(session, as_dict):
    v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
    session.run([v.initializer, w.initializer])
    saver = tf.train.Saver({"other": v} if as_dict else [v])
    path = saver.save(session, "model")
    assert tf.train.list_variables(path) == [("other" if as_dict else "v", [])]
    session.run([v.assign(7.0), w.assign(8.0)])
    saver.restore(session, path)
    assert session.run([v, w]) == [1.0, 8.0]


def test_steps_are_appended(session):
    _, saver = counter(session, pad_step_number=True)
    step = tf.Variable(41, name="step")
    session.run(step.initializer)
    assert saver.save(session, "model", global_step=7) == "model-00000007"
    assert saver.save(session, "model", global_step=step) == "model-00000041"
    assert saver.save(session, "model", global_step="step:0") == "model-00000041"
    assert saver.save(session, "model", global_step=np.int64(3)) == "model-00000003"


def test_as_many_are_kept_as_wanted(session):
    _, saver = counter(session, max_to_keep=2)
    for step in range(5):
        saver.save(session, "model", global_step=step)
    assert names() == ["model-3.index", "model-4.index"]
    assert saver.last_checkpoints == ["model-3", "model-4"]
    assert list(tf.train.get_checkpoint_state(".").all_model_checkpoint_paths) == [
        "./model-3",
        "./model-4",
    ]
    assert not [name for name in os.listdir(".") if "model-2" in name]


def test_all_are_kept_if_that_is_wanted(session):
    _, saver = counter(session, max_to_keep=None)
    for step in range(7):
        saver.save(session, "model", global_step=step)
    assert len(names()) == 7


def test_one_in_so_many_hours_is_kept(session, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(saver_module.time, "time", lambda: now[0])
    _, saver = counter(session, max_to_keep=1, keep_checkpoint_every_n_hours=1.0)
    for step in range(5):
        saver.save(session, "model", global_step=step)
        now[0] += 1900.0
    assert names() == ["model-2.index", "model-4.index"]


def test_a_program_that_goes_on_knows_the_checkpoints_before(session):
    v, saver = counter(session, max_to_keep=2)
    for step in range(2):
        saver.save(session, "model", global_step=step)
    again = tf.train.Saver([v], max_to_keep=2)
    state = tf.train.get_checkpoint_state(".")
    again.recover_last_checkpoints([*state.all_model_checkpoint_paths, "./gone"])
    again.save(session, "./model", global_step=2)
    assert names() == ["model-1.index", "model-2.index"]


def test_folders_with_relative_paths_can_be_moved(session, tmp_path):
    v, saver = counter(session, save_relative_paths=True)
    session.run(v.assign(5.0))
    (tmp_path / "old").mkdir()
    saver.save(session, str(tmp_path / "old" / "model"), global_step=1)
    (tmp_path / "old").rename(tmp_path / "new")
    latest = tf.train.latest_checkpoint(tmp_path / "new")
    assert latest == str(tmp_path / "new" / "model-1")
    assert tf.train.load_variable(latest, "v:0") == 5.0


def test_shapes_may_differ_for_a_saver_that_reshapes(session):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="v")
    session.run(v.initializer)
    path = tf.train.Saver().save(session, "model")
    with tf.Graph().as_default(), tf.Session() as other:
        flat = tf.Variable([0.0] * 4, name="v")
        tf.train.Saver(reshape=True).restore(other, path)
        assert other.run(flat).tolist() == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("version", [tf.train.SaverDef.V1, tf.train.SaverDef.V2])
def test_a_file_for_each_device(session, version):
    config = tf.ConfigProto(device_count={"CPU": 3})
    variables = []
    for number in range(3):
        with tf.device(f"/cpu:{number}"):
            variables.append(tf.Variable(float(number), name=f"v{number}"))
    saver = tf.train.Saver(sharded=True, write_version=version)
    with tf.Session(config=config) as many:
        many.run(tf.global_variables_initializer())
        path = saver.save(many, "model")
    files = [name for name in os.listdir(".") if name.startswith("model") and "-of-" in name]
    assert len(files) == 3
    assert not os.path.exists("model_temp")
    with tf.Session(config=config) as many:
        saver.restore(many, tf.train.latest_checkpoint("."))
        assert many.run(variables) == [0.0, 1.0, 2.0]
    assert tf.train.checkpoint_exists(path)


# Graphs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scope", [None, "inner"])
def test_a_checkpoint_is_enough_to_go_on(session, scope):
    v, saver = counter(session)
    tf.add_to_collection(tf.GraphKeys.SAVERS, saver)
    tf.add_to_collection("train", v.assign_add(1.0))
    session.run(tf.get_collection("train"))
    path = saver.save(session, "model")
    with tf.Graph().as_default(), tf.Session() as other:
        again = tf.train.import_meta_graph(f"{path}.meta", import_scope=scope)
        again.restore(other, path)
        assert other.run(tf.get_collection("train")) == [2.0]
        [known] = tf.get_collection(tf.GraphKeys.SAVERS)
        known.restore(other, path)
        assert other.run(tf.global_variables()) == [1.0]
        assert again.save(other, "next") == "next"


def test_a_saver_that_is_built_later(session):
    saver = tf.train.Saver(defer_build=True)
    with pytest.raises(RuntimeError, match="`build\\(\\)` should be called before save"):
        saver.save(session, "model")
    v = tf.Variable(1.0, name="v")
    saver.build()
    session.run(v.initializer)
    assert saver.save(session, "model") == "model"


def test_a_saver_of_nothing(session):
    with pytest.raises(ValueError, match="No variables to save: the graph has none yet"):
        tf.train.Saver()
    saver = tf.train.Saver(allow_empty=True)
    assert saver.save(session, "model", write_meta_graph=False) is None
    saver.restore(session, "model")


# Mistakes -----------------------------------------------------------------------------------------


def test_all_that_does_not_match_is_in_one_error_and_nothing_is_restored(session):
    tf.Variable([1.0, 2.0], name="shape")
    tf.Variable(1, name="kind")
    tf.Variable(1.0, name="weights")
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(session, "model")
    with tf.Graph().as_default(), tf.Session() as other:
        right = tf.Variable(7.0, name="weights")
        tf.Variable([1.0, 2.0, 3.0], name="shape", use_resource=True)
        tf.Variable(1.0, name="kind")
        others = [tf.Variable(1.0, name="weigths"), tf.Variable(1.0, name="bias")]
        other.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.NotFoundError) as caught:
            tf.train.Saver().restore(other, path)
        message = caught.value.message
        for text in (
            "most likely due to a Variable name or other graph key that is missing",
            "Key weigths not found in checkpoint. Did you mean 'weights'?",
            "Key bias not found in checkpoint.",
            "tensor_name = shape; the variable's shape [3] does not match the shape stored in "
            "checkpoint: [2]",
            "tensor_name = kind; expected dtype float does not equal original dtype int32",
            "has: kind, shape, weights",
        ):
            assert text in message
        assert other.run(right) == 7.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="a mismatch between the current"):
            tf.train.Saver([v for v in tf.global_variables() if v not in others]).restore(
                other, path
            )
        assert other.run(right) == 7.0


def test_what_is_no_checkpoint(session):
    _, saver = counter(session)
    with pytest.raises(ValueError, match="Can't load save_path when it is None"):
        saver.restore(session, tf.train.latest_checkpoint("."))
    with pytest.raises(ValueError, match="The passed save_path is not a valid checkpoint: model"):
        saver.restore(session, "model")
    with open("model", "w") as file:
        file.write("no checkpoint " * 10)
    with pytest.raises(tf.errors.DataLossError, match="not an sstable"):
        saver.restore(session, "model")


def test_half_a_checkpoint(session):
    v, saver = counter(session)
    path = saver.save(session, "model")
    os.truncate("model.data-00000-of-00001", 2)
    with pytest.raises(tf.errors.DataLossError, match="has 2 bytes, and it would be in those from"):
        saver.restore(session, path)
    assert session.run(v) == 0.0


def test_a_folder_that_is_not_there_or_cannot_be_written(session):
    _, saver = counter(session)
    with pytest.raises(ValueError, match="Parent directory of a/b/model doesn't exist"):
        saver.save(session, "a/b/model")
    with open("file", "w"):
        pass
    with pytest.raises(ValueError, match="Parent directory of file/model doesn't exist"):
        saver.save(session, "file/model")
    with pytest.raises(tf.errors.OpError, match="/proc/self/model"):
        saver.save(session, "/proc/self/model")


def test_names_that_collide(session):
    v, saver = counter(session)
    with pytest.raises(ValueError, match="'latest_filename' collides with 'save_path'"):
        saver.save(session, "checkpoint")
    with pytest.raises(ValueError, match="must not contain path components"):
        saver.save(session, "model", latest_filename="a/b")
    with pytest.raises(TypeError, match="'sess' must be a Session"):
        saver.save("session", "model")
    with pytest.raises(ValueError, match="At least two variables have the same name: v"):
        tf.train.Saver([v, v])
    with pytest.raises(ValueError, match="The same saveable will be restored with two names: b"):
        tf.train.Saver({"a": v, "b": v})
    with pytest.raises(TypeError, match="Variable to save is not a Variable"):
        tf.train.Saver([tf.constant(1.0)])
    with pytest.raises(TypeError, match="should be passed in a dict or a list"):
        tf.train.Saver(v)


def test_a_save_that_fails_leaves_the_checkpoint_before(session, monkeypatch):
    v, saver = counter(session)
    path = saver.save(session, "model")
    session.run(v.assign(1.0))
    before = sorted(os.listdir("."))

    def full(descriptor):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left on device"):
            saver.save(session, "model")
        with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left on device"):
            saver.save(session, "model", global_step=1)
    assert sorted(os.listdir(".")) == before
    saver.restore(session, path)
    assert session.run(v) == 0.0
    assert tf.train.latest_checkpoint(".") == "./model"


def test_another_program_in_the_folder_is_noticed(session, caplog):
    v, saver = counter(session)
    with caplog.at_level(logging.WARNING, "tinytf"):
        saver.save(session, "model", global_step=1)
        saver.save(session, "model", global_step=2)
        assert caplog.text == ""
        tf.train.Saver([v]).save(session, "other", global_step=1)
        saver.save(session, "model", global_step=3)
    assert "Something else saves to this folder, too" in caplog.text


# Initial values -----------------------------------------------------------------------------------


def test_initial_values_from_a_checkpoint(session):
    with tf.variable_scope("old"):
        tf.get_variable("a", initializer=[1.0, 2.0])
        tf.get_variable("b", initializer=np.arange(12.0).reshape(4, 3))
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(session, "model")
    with tf.Graph().as_default(), tf.Session() as other:
        with tf.variable_scope("new"):
            a = tf.get_variable("a", [2], use_resource=True)
            b = tf.get_variable("b", [4, 3], tf.float64, partitioner=tf.fixed_size_partitioner(2))
        c = tf.get_variable("c", [2])
        tf.train.init_from_checkpoint(path, {"old/": "new/"})
        tf.train.init_from_checkpoint(".", [("old/a", c)])
        other.run(tf.global_variables_initializer())
        values = other.run([a, b.as_tensor(), c])
        assert [value.tolist() for value in values] == [
            [1.0, 2.0],
            np.arange(12.0).reshape(4, 3).tolist(),
            [1.0, 2.0],
        ]
        with pytest.raises(ValueError, match="Tensor old/d is not found"):
            tf.train.init_from_checkpoint(path, {"old/d": c})
        with pytest.raises(ValueError, match="Shape of variable c:0"):
            tf.train.init_from_checkpoint(path, {"old/b": c})
        with pytest.raises(ValueError, match="Assignment map with scope only name"):
            tf.train.init_from_checkpoint(path, {"old/a": "nothing"})
