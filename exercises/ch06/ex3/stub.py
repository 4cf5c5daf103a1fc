def who_waits(orders, room):
    """Say who waits for what when dinner(orders, room) hangs.

    orders: how many orders there are, 2 or more
    room: for how many elements each queue has room, 1 or more
    return: a dictionary, "waiter", "chef", "guest" -> (what, queue); only those
        who wait for ever. what: "room" or "element"; queue: "line" or "dishes"
    """
    raise NotImplementedError("write this function")
