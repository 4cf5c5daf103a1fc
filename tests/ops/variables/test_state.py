"""The cells of variables: who owns what, and what a reader sees."""

import threading

import numpy as np
import pytest

import tinytf as tf
from tinytf.framework.errors import FailedPreconditionError, InvalidArgumentError, NotFoundError
from tinytf.ops.variables import state
from tinytf.resources.manager import ResourceManager
from tinytf.resources.variable import ResourceVariable, Variable
from tinytf.testing.evaluator import evaluate


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def resources():
    return ResourceManager()


def cell(value, kind=Variable):
    variable = kind("v", tf.float32, tf.TensorShape(None))
    variable.assign(np.array(value, np.float32))
    return variable


KINDS = [False, True]


@pytest.mark.parametrize("use_resource", KINDS)
class TestOwnership:
    def test_changing_a_fetched_value_leaves_the_state_alone(self, use_resource):
        v = tf.Variable([1.0, 2.0], use_resource=use_resource)
        with tf.Session() as session:
            session.run(v.initializer)
            for fetch in (v, v.read_value(), v.value()):
                fetched = session.run(fetch)
                fetched.flags.writeable = True
                fetched[...] = 99.0
                assert session.run(v).tolist() == [1.0, 2.0]

    def test_changing_a_fetched_assignment_leaves_the_state_alone(self, use_resource):
        v = tf.Variable([1.0, 2.0], use_resource=use_resource)
        new = v.assign_add([1.0, 1.0])
        with tf.Session() as session:
            session.run(v.initializer)
            fetched = session.run(new)
            fetched.flags.writeable = True
            fetched[...] = 99.0
            assert session.run(v).tolist() == [2.0, 3.0]

    def test_changing_an_array_after_feeding_and_storing_it(self, use_resource):
        v = tf.Variable([1.0, 2.0], use_resource=use_resource)
        p = tf.placeholder(tf.float32, [2])
        store = v.assign(p, read_value=False)
        with tf.Session() as session:
            fed = np.array([3.0, 4.0], np.float32)
            session.run(store, {p: fed})
            fed[...] = 99.0
            assert session.run(v).tolist() == [3.0, 4.0]
            fed = np.array([3.0, 4.0], np.float32)
            fed.flags.writeable = False  # and the caller may take that back
            session.run(store, {p: fed})
            fed.flags.writeable = True
            fed[...] = 99.0
            assert session.run(v).tolist() == [3.0, 4.0]

    def test_changing_the_initial_array_of_a_constant(self, use_resource):
        start = np.array([1.0, 2.0], np.float32)
        v = tf.Variable(start, use_resource=use_resource)
        start[...] = 99.0
        with tf.Session() as session:
            session.run(v.initializer)
            session.run(v.assign_add([1.0, 1.0], read_value=False))
            session.run(v.initializer)  # the constant itself was not changed by the update
            assert session.run(v).tolist() == [1.0, 2.0]

    def test_storing_part_of_another_variable(self, use_resource):
        a = tf.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=use_resource)
        b = tf.Variable([0.0, 0.0], use_resource=use_resource)
        copy_row = tf.assign(b, a.read_value()[0])
        change = a.assign_add(tf.ones([2, 2]), read_value=False)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(copy_row.op)
            session.run(change)
            assert session.run([a, b])[1].tolist() == [1.0, 2.0]

    def test_each_session_has_its_own_values(self, use_resource):
        v = tf.Variable([1.0], use_resource=use_resource)
        one, two = tf.Session(), tf.Session()
        with one, two:
            one.run(v.initializer)
            assert one.run(v).tolist() == [1.0]
            with pytest.raises(FailedPreconditionError):
                two.run(v)


class TestUpdates:
    def test_a_sole_owner_is_updated_in_place(self):
        variable = cell(np.zeros(1000))
        before = variable.read().__array_interface__["data"][0]
        variable.update(np.add, np.ones(1000, np.float32))
        assert variable.read().__array_interface__["data"][0] == before
        assert not variable.read().flags.writeable

    def test_a_value_that_somebody_holds_is_not_touched(self):
        variable = cell(np.zeros(1000))
        held = variable.read()
        part = held[10:20]
        variable.update(np.add, np.ones(1000, np.float32))
        assert held.sum() == 0.0
        del held
        variable.update(np.add, np.ones(1000, np.float32))
        assert part.tolist() == [0.0] * 10
        assert variable.read().tolist() == [2.0] * 1000

    def test_a_failing_update_changes_nothing_and_leaves_it_read_only(self):
        variable = cell([1.0, 2.0])

        def fail(value, operand, out=None):
            raise MemoryError

        with pytest.raises(MemoryError):
            variable.update(fail, np.zeros(2, np.float32))
        assert not variable.read().flags.writeable
        assert variable.read().tolist() == [1.0, 2.0]

    def test_modify_gives_the_new_value(self):
        variable = cell([1.0, 2.0])
        assert variable.modify(lambda value: value * 2.0).tolist() == [2.0, 4.0]
        assert variable.modify(lambda value: value) is variable.read()

    def test_a_view_is_copied(self):
        variable = cell([1.0, 2.0])
        whole = np.arange(4.0, dtype=np.float32)
        variable.assign(whole[:2], validate_shape=False)
        whole[...] = 99.0
        assert variable.read().tolist() == [0.0, 1.0]

    def test_a_reader_beside_updates_sees_whole_values(self):
        size, rounds = 20_000, 200
        variable = cell(np.zeros(size))
        ones, torn, done = np.ones(size, np.float32), [], threading.Event()

        def read():
            while not done.is_set():
                value = variable.read()
                if value[0] != value[-1] or not (value == value[0]).all():
                    torn.append(value)

        reader = threading.Thread(target=read)
        reader.start()
        try:
            for _ in range(rounds):
                variable.update(np.add, ones)
        finally:
            done.set()
            reader.join()
        assert torn == []
        assert variable.read()[0] == rounds

    def test_updates_of_several_threads_all_count(self):
        variable = cell([0.0])

        def add():
            for _ in range(500):
                variable.update(np.add, np.ones(1, np.float32))

        threads = [threading.Thread(target=add) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert variable.read().tolist() == [2000.0]

    @pytest.mark.parametrize("kind", [Variable, ResourceVariable])
    def test_errors_name_the_variable_and_both_shapes(self, kind):
        variable = cell([1.0, 2.0], kind)
        with pytest.raises(InvalidArgumentError, match=r"\[2\].*\[3\].*variable v|v has shape"):
            variable.update(np.add, np.ones(3, np.float32))
        with pytest.raises(InvalidArgumentError, match=r"\[2\].*\[3\] \(variable v\)"):
            variable.assign(np.ones(3, np.float32))
        variable.clear()
        with pytest.raises(FailedPreconditionError, match=r"v.*global_variables_initializer"):
            variable.read()
        with pytest.raises(FailedPreconditionError, match=r"v.*global_variables_initializer"):
            variable.modify(lambda value: value)


class TestOps:
    def test_container_and_shared_name_decide_which_cell_is_meant(self, resources):
        a = state.variable_op_v2([], tf.float32, "a", shared_name="one")
        b = state.variable_op_v2([], tf.float32, "b", shared_name="one")
        c = state.variable_op_v2([], tf.float32, "c", container="other", shared_name="one")
        evaluate([state.assign(a, 3.0)], resources=resources)
        assert evaluate([b], resources=resources) == [3.0]
        with pytest.raises(FailedPreconditionError):
            evaluate([c], resources=resources)

    def test_a_reference_and_a_handle_of_one_name_are_two_things(self, resources):
        a = state.variable_op_v2([], tf.float32, "a", shared_name="x")
        b = state.var_handle_op(tf.int32, [], shared_name="x")
        evaluate([state.assign(a, 3.0), state.assign_variable_op(b, 7)], resources=resources)
        values = evaluate([a, state.read_variable_op(b, tf.int32)], resources=resources)
        assert values == [3.0, 7]

    def test_a_destroyed_variable(self, resources):
        handle = state.var_handle_op(tf.float32, [], shared_name="x")
        evaluate([state.assign_variable_op(handle, 7.0)], resources=resources)
        evaluate([state.destroy_resource_op(handle)], resources=resources)
        assert evaluate([state.var_is_initialized_op(handle)], resources=resources) == [False]
        evaluate([state.destroy_resource_op(handle)], resources=resources)
        with pytest.raises(NotFoundError, match="x"):
            evaluate([state.destroy_resource_op(handle, False)], resources=resources)

    def test_reading_a_handle_as_another_type(self):
        handle = state.var_handle_op(tf.float32, [2], shared_name="x")
        with pytest.raises(ValueError, match=r"wrong dtype\. Expected float32 got int32"):
            state.read_variable_op(handle, tf.int32)

    def test_the_shape_of_a_variable(self, resources):
        known = state.var_handle_op(tf.float32, [2, 3], shared_name="x")
        assert state.variable_shape(known).op.type == "Const"
        open_shape = state.var_handle_op(tf.float32, [None, 3], shared_name="y")
        shape = state.variable_shape(open_shape, tf.int64)
        assert (shape.op.type, shape.shape.as_list()) == ("VariableShape", [2])
        evaluate([state.assign_variable_op(open_shape, tf.ones([5, 3]))], resources=resources)
        [value] = evaluate([shape], resources=resources)
        assert (value.tolist(), value.dtype) == ([5, 3], np.int64)

    def test_a_reference_cannot_be_made_of_a_value(self):
        with pytest.raises(TypeError, match="be a mutable tensor"):
            state.assign(tf.constant(1.0), 2.0)

    def test_users_of_a_reference_are_colocated_with_it(self):
        v = tf.Variable([1.0], name="v", use_resource=False)
        added = v.assign_add([1.0])
        assert added.op.colocation_groups() == [b"loc:@v"]
        with tf.device("/gpu:1"):
            w = tf.Variable([1.0], name="w", use_resource=False)
        assert w.assign_sub([1.0]).op.device == "/device:GPU:1"
