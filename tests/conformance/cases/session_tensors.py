"""Tensors that stay in a session: their handles."""

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case

NOWHERE = "nothing;9;/job:localhost/replica:0/task:0/device:CPU:0"


@case("GetSessionHandle", each=["float32", "int64", "bool"])
def the_name_in_a_handle(tf, dtype):
    handle = tf.get_session_handle(tf.ones([2], dtype), name="keep")
    return tf.strings.regex_replace(handle, ";.*", "")


@case("GetSessionHandle")
def the_place_in_a_handle(tf):
    with tf.device("/cpu:0"):
        handle = tf.get_session_handle(tf.constant("text") + "s")
    return tf.strings.regex_replace(handle, "[0-9]+;", "")


@case("GetSessionHandleV2")
def a_resource_as_a_handle(tf):
    (handle,) = node(tf, "GetSessionHandleV2", [tf.constant([1.5, 2.5])], T=tf.float32)
    with tf.control_dependencies([handle]):
        return tf.constant(1)


@case("GetSessionTensor", error="is not in the session store")
def what_is_not_kept(tf):
    holder, tensor = tf.get_session_tensor(NOWHERE, tf.float32, name="kept")
    return Program(tf.identity(tensor), feed={holder: NOWHERE})


@case("GetSessionTensor", error="is not in the session store")
def what_is_not_kept_either(tf):
    handle = tf.get_session_handle(tf.constant(1.5))
    (tensor,) = node(tf, "GetSessionTensor", [tf.identity(handle)], dtype=tf.float32)
    return tensor


@case("DeleteSessionTensor", error="Failed to delete a tensor with handle")
def nothing_to_delete(tf):
    node(tf, "DeleteSessionTensor", [tf.constant(NOWHERE)])
    return tf.get_default_graph().get_operations()[-1]
