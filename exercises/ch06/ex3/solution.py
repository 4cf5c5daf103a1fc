def who_waits(orders, room):
    # It hangs when the chef has order 0 in hand and the line is full: only the chef takes from it.
    if orders < 1 + room:
        return {}  # never full then
    waiting = {"chef": ("room", "line"), "guest": ("element", "dishes")}
    if orders > 1 + room:  # one in hand, `room` in the line: who brings one more waits as well
        waiting["waiter"] = ("room", "line")
    return waiting
