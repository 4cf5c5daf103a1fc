"""Device names: how they may be spelled, merged and given by functions, and what is refused."""

from tests.behaviour.asking import question, says

SPELLINGS = [
    "",
    "/",
    "//",
    "/cpu:0",
    "/CPU:0",
    "/Cpu:0",
    "cpu:0",
    "/gpu:1",
    "gpu:1",
    "/GPU:12",
    "/gpu:*",
    "/gpu",
    "gpu",
    "/cpu",
    "/device:GPU:0",
    "/device:gpu:0",
    "/device:Gpu:0",
    "/device:GPU:*",
    "device:CPU:0",
    "/device:*:*",
    "/device:*:0",
    "/device:XLA_CPU:0",
    "/device:MY_OWN:1",
    "/tpu:0",
    "/custom:3",
    "/job:ps",
    "/job:*",
    "/job:",
    "/job:Ps_x",
    "/job:a-b",
    "/job:a/job:b",
    "/replica:0",
    "/task:1",
    "/task:007",
    "/task:1/job:ps",
    "/job:ps/task:1/gpu:1",
    "/job:ps/replica:2/task:3/device:GPU:4",
    "/gpu:0/task:1",
    "//gpu:0//",
    "/gpu:-1",
    "/gpu: 1",
    "/gpu:+1",
    "/gpu:1_0",
    "/cpu:0\n",
    "/task:99999999999999",
    "/job:worker/",
]

REFUSED = {
    "Unknown attribute": [
        "tomato",
        "/tomato:1",
        "/jobs:ps",
        "/JOB:ps",
        "/Device:GPU:0",
        "/device",
        "/device:GPU",
        "/device:GPU:0:1",
        "/job",
        "/job:a:b",
        "/task",
        "/*",
        " /gpu:0",
        "/XLA_CPU:0",
        "/task:1:2",
        "gpu0",
    ],
    "Multiple device types are not allowed": ["/cpu:0/gpu:0", "/device:GPU:0/device:GPU:0"],
    "invalid literal for int() with base 10": [
        "/gpu:x",
        "/task:a",
        "/task:*",
        "/replica:*",
        "/gpu:",
        "/device:GPU:",
        "/cpu:0,/gpu:1",
        "/gpu:0x1",
        "/task:1.0",
        "/device:GPU:0 1",
    ],
}


def under(tf, *scopes):
    """The device of a node inside device scopes."""
    if not scopes:
        return tf.no_op().device
    with tf.device(scopes[0]):
        return under(tf, *scopes[1:])


def outcome(function, *args):
    """What a call gives, or the name of the class that it raises."""
    try:
        return function(*args)
    except Exception as error:
        return type(error).__name__


@question
def spellings(tf):
    spec = tf.DeviceSpec
    return {
        repr(text): [under(tf, text), spec.from_string(text).to_string(), spec.from_string(text)]
        for text in SPELLINGS
    }


@question
def refused(tf):
    return {
        f"{text!r} {where}": says(phrase, ask, text)
        for phrase, texts in REFUSED.items()
        for text in texts
        for where, ask in (
            ("in a scope", lambda text: under(tf, text)),
            ("parsed", tf.DeviceSpec.from_string),
        )
    }


@question
def merging(tf):
    parts = [
        "/job:a",
        "/job:b/task:1",
        "/task:2",
        "/replica:1",
        "/cpu:1",
        "/gpu:*",
        "/gpu:3",
        "/device:MINE:*",
        "",
    ]
    spec = tf.DeviceSpec.from_string
    answers = {}
    for outer in parts:
        for inner in parts:
            merged = spec(outer).make_merged_spec(spec(inner)).to_string()
            in_place = spec(outer)
            in_place.merge_from(spec(inner))
            answers[f"{outer!r}, {inner!r}"] = [
                under(tf, outer, inner),
                merged == under(tf, outer, inner),
                in_place.to_string() == merged,
            ]
    answers["three"] = under(tf, "/job:a/task:1/cpu:0", "/gpu:*", "/task:2")
    answers["none in between"] = under(tf, "/job:a", None, "/gpu:1")
    answers["none inside"] = under(tf, "/job:a", "/gpu:1", None)
    answers["an index without a type"] = under(tf, tf.DeviceSpec(job="a", device_index=2), "/gpu:*")
    return answers


@question
def device_specs(tf):
    spec = tf.DeviceSpec
    names = ("job", "replica", "task", "device_type", "device_index")

    def changed(**parts):
        made = spec.from_string("/job:a/task:1/gpu:2")
        for name, value in parts.items():
            setattr(made, name, value)
        return [made.to_string(), [getattr(made, name) for name in names], made]

    full = spec("w", 1, 2, "GPU", 3)
    parsed = spec("w", 1, 2, "GPU", 3)
    same = parsed.parse_from_string("/task:7/cpu:*")
    return {
        "empty": [spec(), spec().to_string()],
        "full": [full, str(full), [getattr(full, name) for name in names]],
        "numbers as text": spec(replica="1", task="2", device_index="3", device_type="gpu"),
        "a job that is a number": spec(job=3),
        "empty job": [spec(""), spec("").to_string()],
        "a type that is a number": spec(device_type=3).to_string(),
        "odd case": spec(device_type="Gpu").to_string(),
        "a fraction": spec(replica=1.7),
        "a truth": spec(device_type="CPU", device_index=True).to_string(),
        "no index": spec(device_type="GPU").to_string(),
        "no type": spec(device_index=3).to_string(),
        "set job": changed(job="b"),
        "set all": changed(job="b", replica=3, task=4, device_type="cpu", device_index="5"),
        "unset": changed(job=None, task=None, device_index=None),
        "unset type": changed(device_type=None),
        "parse in place": [same is parsed, parsed.to_string()],
        "from none": spec.from_string(None).to_string(),
        "replace": [
            full.replace(job=None, task=1).to_string(),
            full.replace(device_type="cpu"),
            full.replace() == full,
            full.replace() is full,
            full.to_string(),
        ],
        "merged keeps both": [full.make_merged_spec(spec(task=9)), full.to_string()],
        "merge gives": full.replace().merge_from(spec(task=9)),
        "equal": [
            spec("a") == spec("a"),
            spec("a") != spec("a"),
            spec("a") == spec("b"),
            spec(device_index=1) == spec(),
            spec("a") == "/job:a",
            spec("a") == None,  # noqa: E711
        ],
        "hash": [
            hash(spec("a")) == hash(spec("a")),
            len({spec("a"), spec("b"), spec("a")}),
            spec("a") in {spec("b").replace(job="a"): 1},
        ],
        "not a number": says("invalid literal for int() with base 10", spec, task="x"),
        "set to no number": says(
            "invalid literal for int() with base 10", setattr, spec(), "task", "x"
        ),
        "unknown part": outcome(lambda: spec(tasks=1)),
        "unknown part replaced": outcome(lambda: spec().replace(tasks=1)),
        "unknown part set": outcome(setattr, spec(), "tasks", 1),
        "bytes": outcome(spec.from_string, b"/cpu:0"),
    }


@question
def functions(tf):
    seen = []

    def note(op):
        seen.append([op.type, op.name, op.device])
        return op.device

    def merge(op):
        return tf.DeviceSpec.from_string("/job:m/cpu:1").make_merged_spec(
            tf.DeviceSpec.from_string(op.device)
        )

    class Setter:
        def __call__(self, op):
            return "/job:called"

    answers = {
        "as it is spelled": under(tf, lambda op: "/job:f/gpu:0"),
        "around a name": under(tf, lambda op: "/gpu:0", "/cpu:0/task:1"),
        "in a name": under(tf, "/cpu:0/task:1", lambda op: "/gpu:0"),
        "in two": under(tf, lambda op: op.device + "/task:1", lambda op: "/gpu:0"),
        "in two, the other way": under(tf, lambda op: "/gpu:0", lambda op: op.device + "/task:1"),
        "around none": under(tf, lambda op: "/gpu:0", None),
        "a spec": under(tf, lambda op: tf.DeviceSpec(job="a", device_type="gpu")),
        "bytes": under(tf, lambda op: b"/cpu:0"),
        "empty": under(tf, lambda op: "", "/cpu:0"),
        "empty in a name": under(tf, "/task:1", lambda op: ""),
        "merging": under(tf, merge, "/gpu:*"),
        "an object": under(tf, Setter()),
        "by type": under(tf, lambda op: f"/job:{op.type.lower()}"),
        "noted": [under(tf, note, "/task:1", note, "/gpu:0"), seen],
        "its own error": outcome(under, tf, lambda op: 1 / 0),
        "none": says("Expected binary or unicode string, got None", under, tf, lambda op: None),
        "none in a name": says(
            "Expected binary or unicode string, got None", under, tf, "/cpu:0", lambda op: None
        ),
        "a number": says("Expected binary or unicode string, got 3", under, tf, lambda op: 3),
        "a list": says(
            "Expected binary or unicode string, got ['/cpu:0']", under, tf, lambda op: ["/cpu:0"]
        ),
        "nonsense in a name": says(
            "Unknown attribute 'tomato' is encountered while parsing the device spec: 'tomato'",
            under,
            tf,
            "/cpu:0",
            lambda op: "tomato",
        ),
        "nonsense": outcome(under, tf, lambda op: "tomato"),
        "after the errors": tf.no_op().device,
    }
    with tf.device(lambda op: "/task:3" if op.type == "Const" else "/task:4"):
        total = tf.constant(1.0) + 2.0
    answers["each op"] = [total.device, [tensor.device for tensor in total.op.inputs]]
    return answers


@question
def wrong_types(tf):
    return {
        repr(wrong): outcome(under, tf, wrong)
        for wrong in (3, 1.5, True, ["/cpu:0"], b"/cpu:0", ("/cpu:0",), {"cpu": 0})
    }


@question
def colocation_and_devices(tf):
    with tf.device("/job:a/gpu:1"):
        here = tf.constant(1.0)
    nowhere = tf.constant(1.0)

    def beside(op, *scopes, around=()):
        if around:
            with tf.device(around[0]):
                return beside(op, *scopes, around=around[1:])
        with tf.colocate_with(op):
            return under(tf, *scopes)

    later = tf.constant(2.0)
    with tf.colocate_with(later):
        before = tf.no_op()
    later.op._set_device("/task:5")
    with tf.device("/gpu:1"):
        changed = tf.constant(1.0)
    changed.op._set_device(tf.DeviceSpec(device_type="CPU"))
    return {
        "device of the op": beside(here),
        "no device": beside(nowhere),
        "inside": beside(here, "/cpu:0"),
        "inside, no device": beside(nowhere, "/cpu:0"),
        "around": beside(here, around=["/cpu:0"]),
        "around, no device": beside(nowhere, around=["/cpu:0"]),
        "around and inside": beside(nowhere, "/gpu:*", around=["/task:1"]),
        "function inside": beside(here, lambda op: "/cpu:0"),
        "set later": [later.device, before.device],
        "set to a spec": changed.device,
        "set to nothing": outcome(lambda: changed.op._set_device(None)),
        "set to a number": says(
            "Expected binary or unicode string, got 3", changed.op._set_device, 3
        ),
    }


@question
def variables_in_a_colocation(tf):
    anchor = tf.constant(1.0)
    with tf.device("/cpu:1"), tf.colocate_with(anchor):
        v = tf.Variable(1.0, use_resource=False)
        other = tf.square(1.0)
    return {"variable": v.device, "other": other.device}


_ONE_ERROR = "nothing but a string, a DeviceSpec, a function or None is a device: one error says so"

DIFFERENCES = {
    ("functions", "nonsense"): (
        "'ValueError'",
        "the line that built the operation is told at once, not when a session runs it",
    ),
    **{
        ("wrong_types", wrong): ("'TypeError'", _ONE_ERROR)
        for wrong in ("3", "1.5", "True", "('/cpu:0',)")
    },
    ("variables_in_a_colocation", "variable"): (
        "''",
        "colocation leaves device scopes behind for every operation; TensorFlow 2's init_scope "
        "brings them back for variables, but only if the graph was entered by as_default()",
    ),
}
