"""SavedModels: signatures, files, assets of one name, what is refused."""

import os
import tempfile

from tests.behaviour.asking import question, says


def folder():
    return os.path.join(tempfile.mkdtemp(), "model")


def served(tf, **names):
    """A signature map with placeholders of these names."""
    tensors = {key: tf.placeholder(tf.float32, name=name) for key, name in names.items()}
    return {"serving_default": tf.saved_model.predict_signature_def(tensors, tensors)}


@question
def signatures(tf):
    model = tf.saved_model
    text, numbers = tf.placeholder(tf.string, [None]), tf.zeros([3, 2])
    regression = model.regression_signature_def(text, numbers)
    classes = model.classification_signature_def(text, text, None)
    both = model.classification_signature_def(text, text, numbers)
    other = model.build_signature_def(both.inputs, both.outputs, "another/method")
    sparse = tf.sparse_placeholder(tf.int64, [None, 3], name="sparse")
    info = model.build_tensor_info(sparse)
    variable = tf.get_variable("v", [2], use_resource=True)
    made = [regression, classes, both, other]
    wrong = model.build_signature_def(classes.inputs, regression.outputs, both.method_name)
    return {
        "made": made,
        "valid": [model.is_valid_signature(each) for each in [*made, wrong, None]],
        "sparse": [info.coo_sparse, info.dtype, info.tensor_shape],
        "variable": model.build_tensor_info(variable),
        "back": model.get_tensor_from_tensor_info(info).indices.name,
        "no examples": says("`examples` cannot be None", model.regression_signature_def, None, 1),
        "no text": says("must be of type string", model.regression_signature_def, numbers, numbers),
        "no numbers": says("must be of type float", model.regression_signature_def, text, text),
        "no predictions": says("`predictions` cannot", model.regression_signature_def, text, None),
        "neither": says(
            "cannot both be None", model.classification_signature_def, text, None, None
        ),
        "no tensor": says("string Tensor", model.classification_signature_def, "a", text, None),
        "no inputs": says("`inputs` cannot be None or empty", model.predict_signature_def, {}, {}),
        "no outputs": says("`outputs` cannot", model.predict_signature_def, {"x": text}, None),
        "nothing": says("Invalid TensorInfo", model.get_tensor_from_tensor_info, wrong.inputs["?"]),
        "constants": [model.ASSETS_KEY, model.MAIN_OP_KEY, model.TRAINING, model.TPU],
    }


@question
def what_a_builder_refuses(tf):
    model, path = tf.saved_model, folder()
    builder = model.Builder(path)
    sess = tf.Session()
    early = says("has not been saved yet", builder.add_meta_graph, ["a"])
    reserved = {"__saved_model_init_op": served(tf, x="x")["serving_default"]}
    no_name, no_type = tf.saved_model.build_signature_def(), tf.saved_model.build_signature_def()
    no_name.inputs["x"].dtype = 1
    no_type.outputs["x"].name = "x:0"
    add = builder.add_meta_graph_and_variables
    refused = {
        "reserved": says("reserved", add, sess, ["a"], reserved),
        "no name": says("'encoding' fields", add, sess, ["a"], {"s": no_name}),
        "no type": says("must have the dtype field set", add, sess, ["a"], {"s": no_type}),
        "main op": says("to be an Operation", add, sess, ["a"], main_op="start"),
        "asset": says("must be of type constant", add, sess, ["a"], None, [tf.identity("a")]),
        "number": says("must be of dtype string", add, sess, ["a"], None, [tf.constant(1)]),
        "vector": says("must be a scalar", add, sess, ["a"], None, [tf.constant(["a", "b"])]),
        "empty": says("is invalid", add, sess, ["a"], None, [tf.constant("")]),
        "text": says("must be a Tensor", add, sess, ["a"], None, ["a"]),
    }
    add(sess, ["a"], main_op=tf.no_op("start"))
    return {
        "early": early,
        **refused,
        "second": says("has already been saved", add, sess, ["a"]),
        "second main op": says(
            "already contains", builder.add_meta_graph, ["b"], main_op=tf.no_op()
        ),
        "saved": [os.path.basename(builder.save()), sorted(os.listdir(path))],
        "there": says("already exists, and isn't empty", model.Builder, path),
        "contains": [model.contains_saved_model(path), model.contains_saved_model(path + "s")],
    }


@question
def what_a_loader_refuses(tf):
    path = folder()
    with tf.Session() as sess:
        tf.saved_model.simple_save(sess, path, {"x": tf.zeros([])}, {"x": tf.ones([])})
        load = tf.saved_model.load
        return {
            "tags": says("could not be found in SavedModel", load, sess, ["a"], path),
            "all tags": says("'[{'serve'}]'", load, sess, ["serve", "gpu"], path),
            "nothing": says("SavedModel file does not exist at", load, sess, ["a"], path + "s"),
            "without variables": sorted(os.listdir(os.path.join(path, "variables"))),
        }


@question
def assets_of_one_name(tf):
    """Files of other folders get other names if they are other files."""
    path, places = folder(), [tempfile.mkdtemp() for _ in range(3)]
    for place, text in zip(places, ("one", "two", "one"), strict=True):
        with open(os.path.join(place, "words"), "w") as file:
            file.write(text)
    builder = tf.saved_model.Builder(path)
    names = [tf.constant(os.path.join(place, "words")) for place in places]
    with tf.Session() as sess:
        builder.add_meta_graph_and_variables(sess, ["a"], None, [*names, names[0]])
    builder.save()
    found = {}
    for name in sorted(os.listdir(os.path.join(path, "assets"))):
        with open(os.path.join(path, "assets", name)) as file:
            found[name] = file.read()
    return {"found": found, "kept": len(tf.get_collection("saved_model_assets"))}


@question
def the_order_of_a_start(tf):
    """Variables are restored first; the operation for the start comes after."""
    path = folder()
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.get_variable("v", [], initializer=tf.ones_initializer(), use_resource=False)
        sess.run(v.initializer)
        sess.run(v.assign(5.0))
        start = tf.saved_model.main_op.main_op()
        restored = tf.saved_model.main_op_with_restore(tf.no_op("restored"))
        tf.saved_model.simple_save(sess, path, {"x": tf.zeros([])}, {"v": v}, start)
        names = [[op.name, sorted(c.name for c in op.control_inputs)] for op in (start, restored)]
    with tf.Graph().as_default(), tf.Session() as sess:
        found = tf.saved_model.load(sess, ["serve"], path)
        again = sess.run("v:0")
    return {"names": names, "value": float(again), "outputs": found.signature_def}
