"""Messages that are well-formed and wrong: mutated by field, not by byte.

    request = desk.requests()[path]        # of `hostile`: what a good client would send
    spoil(request, random.Random(seed))    # in place: one field, anywhere in it, has changed
    mutate(request, random.Random(seed))   # likewise, and what only graphs and tensors have

What is valid of each field alone is chosen to hurt: boundary numbers, names that collide, tensors
whose parts contradict each other, graphs that go round in circles, functions that call themselves.
"""

import contextlib

from google.protobuf.message import DecodeError

NUMBERS = [0, 1, -1, 2, 7, 64, 2**31 - 1, -(2**31), 2**32, 2**62, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -1.0, 1e308, float("inf"), float("nan"), 5e-324]
TEXTS = [
    "",
    " ",
    *"x v:0 ^v v:99 v:-1 loc:@nobody".split(),
    "\x00",
    "a\x00b",
    "\x1b[2J\r\n\t",
    "é☃\U0001f600",
    "\u202e",
    *"../../etc/passwd / // a/b//c _ - %s%n{}{0}".split(),
    "{{node v}}",
    "x" * 70_000,
    *"/job:nobody/replica:0/task:0/device:CPU:0 /device:GPU:99 /job:a/task:-1".split(),
    *"/device:CPU:x localhost grpc://localhost:1 Const PyFunc NoSuchOp".split(),
    *"VariableV2 Add f pyfunc_0".split(),
    *";;;; a;b;c;d;0:0 /job:a/replica:0/task:0/device:CPU:0;zz;b;c;0:0".split(),
]
BYTES = [
    b"",
    b"\x00",
    b"\xff" * 9,
    b"loc:@v",
    b"x" * 70_000,
    *(text.encode() for text in TEXTS[:12]),
]


# Fields -------------------------------------------------------------------------------------------


def spoil(message, random, times=1):
    """Change fields somewhere in a message, in place."""
    for _ in range(times if message.DESCRIPTOR.fields else 0):
        _spoil_field(*_some_field(message, random), random)
    return message


def _some_field(message, random):
    """A message within `message`, and one of its fields."""
    while True:
        fields = message.DESCRIPTOR.fields
        if random.random() < 0.9:  # a wrong handle hides all other mistakes
            fields = [f for f in fields if not f.name.endswith(("_handle", "_called"))] or fields
        present = [field for field, _ in message.ListFields() if field in fields]
        field = random.choice(present if present and random.random() < 0.8 else fields)
        inner = _inner(message, field, random)
        if inner is None or not inner.DESCRIPTOR.fields or random.random() < 0.15:
            return message, field
        message = inner


def _inner(message, field, random):
    if field.message_type is None or field not in [f for f, _ in message.ListFields()]:
        return None
    value = getattr(message, field.name)
    if _is_map(field):
        if field.message_type.fields_by_name["value"].message_type is None:
            return None
        return value[random.choice(list(value))]
    if _is_repeated(field):
        return random.choice(list(value))
    return value


def _is_repeated(field):
    return isinstance(field.default_value, list) or _is_map(field)


def _is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def _spoil_field(message, field, random):
    name = field.name
    value = getattr(message, name)
    if _is_map(field):
        _spoil_map(value, field, random)
    elif _is_repeated(field):
        _spoil_list(value, field, random)
    elif field.message_type is not None:
        if random.random() < 0.5:
            message.ClearField(name)
        else:
            value.SetInParent()
    else:
        _set(message, field, _hostile(field, random))


def _set(message, field, value):
    try:
        setattr(message, field.name, value)
    except (ValueError, TypeError, DecodeError):
        message.ClearField(field.name)  # it does not fit into the field


def _spoil_map(value, field, random):
    entry = field.message_type.fields_by_name
    keys = list(value)
    if keys and random.random() < 0.6:
        key = random.choice(keys)
        if entry["value"].message_type is None or random.random() < 0.5:
            del value[key]
        else:  # another's value under this name
            with contextlib.suppress(DecodeError):  # it may nest too deeply to be copied
                value[key].CopyFrom(value[random.choice(keys)])
        return
    key = _hostile(entry["key"], random)
    try:
        if entry["value"].message_type is None:
            value[key] = _hostile(entry["value"], random)
        else:
            value[key].SetInParent()
    except (ValueError, TypeError, DecodeError):
        value.clear()


def _spoil_list(value, field, random):
    action = random.choice(["clear", "twice", "reverse", "drop", "add"])
    if action == "clear":
        del value[:]
    elif action == "twice" and len(value):
        with contextlib.suppress(DecodeError):  # it nests too deeply for protobuf to copy it
            value.append(value[random.randrange(len(value))])
    elif action == "reverse":
        items = list(value)[::-1]
        del value[:]
        with contextlib.suppress(DecodeError):  # likewise
            value.extend(items)
    elif action == "drop" and len(value):
        del value[random.randrange(len(value))]
    elif field.message_type is not None:
        value.add()
    else:
        try:
            value.append(_hostile(field, random))
        except (ValueError, TypeError, DecodeError):
            del value[:]


def _hostile(field, random):
    kind = field.type
    if kind == field.TYPE_BOOL:
        return random.random() < 0.5
    if kind == field.TYPE_STRING:
        return random.choice(TEXTS)
    if kind == field.TYPE_BYTES:
        return random.choice(BYTES)
    if kind in (field.TYPE_FLOAT, field.TYPE_DOUBLE):
        return random.choice(FLOATS)
    if kind == field.TYPE_ENUM:
        return random.choice([*range(30), 101, 119, 999, -1, 2**31 - 1])
    return random.choice([*NUMBERS, random.randrange(10)])


def damaged(data, random):
    """Bytes of a message with some of them changed, and perhaps cut off."""
    result = bytearray(data) or bytearray(b"\0")
    for _ in range(random.randrange(1, 5)):
        result[random.randrange(len(result))] = random.randrange(256)
    if random.random() < 0.3:
        del result[random.randrange(len(result)) :]
    return bytes(result)


# Structure ----------------------------------------------------------------------------------------


def mutate(message, random, times=1):
    """Change a message in place, by its structure where it has any, else by field."""
    for _ in range(times):
        parts = _parts(message)
        found = [(parts[name], change) for name, change in _STRUCTURAL if name in parts]
        if found and random.random() < 0.6:
            several, change = random.choice(found)
            change(random.choice(several), random)
        else:
            spoil(message, random)
    return message


def _parts(message, found=None):
    """The messages within a message, itself included, by their types."""
    found = {} if found is None else found
    found.setdefault(message.DESCRIPTOR.name, []).append(message)
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if not _is_map(field):
            several = value if _is_repeated(field) else [value]
        elif field.message_type.fields_by_name["value"].message_type is None:
            continue
        else:
            several = value.values()
        for part in several:
            _parts(part, found)
    return found


def _attribute(value, random):
    """An attribute of another kind, or a list of several kinds."""
    fields = value.DESCRIPTOR.fields
    for _ in range(random.choice([1, 1, 3])):
        field = random.choice(fields)
        target = value
        if field.name == "list":
            target = value.list
            field = random.choice(target.DESCRIPTOR.fields)
        if _is_repeated(field):
            for _ in range(random.choice([1, 2, 300])):
                _spoil_list(getattr(target, field.name), field, random)
        else:
            _spoil_field(target, field, random)


def _deep_attribute(value, random):
    """Functions in attributes of functions; protobuf itself takes 100 levels."""
    for _ in range(random.choice([3, 20, 40])):
        value.func.name = random.choice(["f", "loop_body", "x"])
        value = value.func.attr["f"]
    value.i = 1


def _tensor(tensor, random):
    """Dtype, shape and values contradict each other."""
    action = random.randrange(7)
    dims = tensor.tensor_shape.dim
    if action == 0:
        tensor.dtype = _hostile(tensor.DESCRIPTOR.fields_by_name["dtype"], random)
    elif action == 1:
        dims.add(size=random.choice(NUMBERS))
    elif action == 2 and dims:
        random.choice(dims).size = random.choice(NUMBERS)
    elif action == 3:
        for _ in range(random.choice([33, 255, 3000])):
            dims.add(size=random.choice([0, 1, 1, 2]))
    elif action == 4:
        content = tensor.tensor_content
        tensor.tensor_content = random.choice(
            [content[:-1], content * 3, b"\xff" * 20, b"\x80" * 9]
        )
    elif action == 5:
        _number(tensor, random)
    else:
        field = random.choice([f for f in tensor.DESCRIPTOR.fields if f.name.endswith("_val")])
        if _is_repeated(field):
            for _ in range(random.choice([1, 5, 1000])):
                _spoil_list(getattr(tensor, field.name), field, random)


#: Numbers of types -> the field of their values.
_VALUES = {1: "float_val", 2: "double_val", 3: "int_val", 9: "int64_val"}


def _number(tensor, random):
    """All elements are one number, of those that sizes, axes and indices should not be."""
    field = _VALUES.get(tensor.dtype)
    if field is not None:
        tensor.tensor_content = b""
        for name in _VALUES.values():
            tensor.ClearField(name)
        with contextlib.suppress(ValueError):  # an int32 does not take all
            getattr(tensor, field).append(
                random.choice(NUMBERS if tensor.dtype in (3, 9) else FLOATS)
            )


def _graph(graph, random):
    """Nodes refer to each other, and to themselves, in ways that no builder makes."""
    nodes = list(graph.node)
    bodies = list(graph.library.function)
    if bodies and random.random() < 0.3:
        _function(random.choice(bodies), random, graph)
        return
    if not nodes:
        return
    node, other = random.choice(nodes), random.choice(nodes)
    random.choice(_GRAPH_CHANGES)(graph, node, other, random)


def _back_edge(graph, node, other, random):
    name = random.choice([other.name, f"^{other.name}", f"{other.name}:{random.choice([1, 99])}"])
    if node.input and random.random() < 0.7:
        node.input[random.randrange(len(node.input))] = name
    else:
        node.input.append(name)


def _circle(graph, node, other, random):
    node.input.append(f"^{other.name}")
    other.input.append(f"^{node.name}")


def _collide(graph, node, other, random):
    node.name = random.choice(
        [other.name, other.name.upper(), f"{other.name}/x", "", f"^{other.name}"]
    )


def _exchange_ops(graph, node, other, random):
    node.op, other.op = other.op, node.op


def _exchange_attributes(graph, node, other, random):
    for key in set(node.attr) & set(other.attr):
        node.attr[key].CopyFrom(other.attr[key])


def _exchange_inputs(graph, node, other, random):
    mine, theirs = list(node.input), list(other.input)
    del node.input[:], other.input[:]
    node.input.extend(theirs)
    other.input.extend(mine)


def _another_frame(graph, node, other, random):
    frames = [n for n in graph.node if n.op in ("Enter", "RefEnter")]
    if frames:
        enter = random.choice(frames)
        enter.attr["frame_name"].s = random.choice(
            [b"", b"other", random.choice(frames).name.encode()]
        )
        enter.attr["parallel_iterations"].i = random.choice(NUMBERS)
        enter.attr["is_constant"].b = random.random() < 0.5


def _loop_of_anything(graph, node, other, random):
    """A loop without a condition that could end it, or without an entrance."""
    kind = random.choice(["NextIteration", "Merge", "Exit", "Switch", "Enter", "LoopCond"])
    extra = graph.node.add(name=f"{node.name}_{kind}", op=kind, input=[other.name])
    extra.attr["T"].type = 1
    node.input.append(extra.name)
    if kind == "Merge":
        extra.attr["N"].i = random.choice([1, 2, 7])
        extra.input.append(f"{node.name}")


def _many(graph, node, other, random):
    for number in range(random.choice([10, 500])):
        copy = graph.node.add()
        copy.CopyFrom(node)
        if random.random() < 0.95:
            copy.name = f"{node.name}_{number}"


def _chain(graph, node, other, random):
    """Deeper than any recursion goes."""
    before = node.name
    for number in range(random.choice([50, 1500])):
        extra = graph.node.add(name=f"chain_{number}", op="Identity", input=[before])
        extra.attr["T"].type = 1
        before = extra.name


def _calls_itself(graph, node, other, random):
    function = graph.library.function.add()
    function.signature.name = random.choice(["f", "g", node.op])
    function.signature.input_arg.add(name="x", type=1)
    function.signature.output_arg.add(name="y", type=1)
    called = random.choice([function.signature.name, node.op, "f"])
    function.node_def.add(name="c", op=called, input=["x"])
    function.ret["y"] = random.choice(["c:y:0", "c:output:0", "x", "c", "nobody:0"])
    graph.node.add(name="calls", op=function.signature.name, input=[other.name])


def _group(graph, node, other, random):
    node.attr["_class"].list.s.append(b"loc:@" + other.name.encode())
    other.attr["_class"].list.s.append(b"loc:@" + node.name.encode())


def _device(graph, node, other, random):
    devices = [n.device for n in graph.node if n.device] + [t for t in TEXTS if t.startswith("/")]
    node.device = random.choice(devices)


def _wrong_key(graph, node, other, random):
    """A transfer whose other end does not exist, or is itself."""
    ends = [n for n in graph.node if n.op.startswith(("_Send", "_Recv", "_HostSend", "_HostRecv"))]
    if ends:
        end = random.choice(ends)
        key = random.choice(["send_device", "recv_device", "tensor_name"])
        end.attr[key].s = random.choice(BYTES + [random.choice(ends).attr[key].s])
        if random.random() < 0.4:
            end.attr["send_device_incarnation"].i = random.choice(NUMBERS)
        if random.random() < 0.4:
            end.attr["client_terminated"].b = not end.attr["client_terminated"].b


_GRAPH_CHANGES = [
    _back_edge,
    _circle,
    _collide,
    _exchange_ops,
    _exchange_attributes,
    _exchange_inputs,
    _another_frame,
    _loop_of_anything,
    _many,
    _chain,
    _calls_itself,
    _group,
    _device,
    _wrong_key,
]


def _function(function, random, graph):
    action = random.randrange(5)
    if action == 0:
        function.node_def.add(name="again", op=function.signature.name)
    elif action == 1 and function.ret:
        function.ret[random.choice(list(function.ret))] = random.choice(TEXTS)
    elif action == 2:
        function.signature.name = random.choice(list(graph.library.function)).signature.name
    elif action == 3 and function.node_def:
        nodes = list(function.node_def)
        _back_edge(None, random.choice(nodes), random.choice(nodes), random)
    else:
        spoil(function, random)


def _same_texts(message, random):
    """Names that collide: a text of the message in the place of another."""
    places = list(_texts(message))
    if len(places) > 1:
        (part, field, index), other = random.choice(places), random.choice(places)
        text = (
            getattr(other[0], other[1])
            if other[2] is None
            else getattr(other[0], other[1])[other[2]]
        )
        if index is None:
            setattr(part, field, text)
        else:
            getattr(part, field)[index] = text


def _texts(message):
    """Where the texts of a message are: (message, field, index or None)."""
    for field, value in message.ListFields():
        if field.message_type is not None and not _is_map(field):
            for part in value if _is_repeated(field) else [value]:
                yield from _texts(part)
        elif field.type == field.TYPE_STRING and not field.name.endswith("_handle"):
            if _is_repeated(field):
                yield from ((message, field.name, index) for index in range(len(value)))
            else:
                yield message, field.name, None


_STRUCTURAL = [
    ("AttrValue", _attribute),
    ("AttrValue", _deep_attribute),
    ("TensorProto", _tensor),
    ("TensorProto", _number),
    ("GraphDef", _graph),
    ("GraphDef", _graph),
    ("GraphDef", _graph),
    *(
        (name, _same_texts)
        for name in (
            "RunStepRequest",
            "PartialRunSetupRequest",
            "RunGraphRequest",
            "CallableOptions",
            "ExtendSessionRequest",
            "CreateWorkerSessionRequest",
            "ResetRequest",
        )
    ),
]
