# loses hidden: other numbers, just on the border
def who_waits(orders, room):
    if orders <= 2:
        return {}
    waiting = {"chef": ("room", "line"), "guest": ("element", "dishes")}
    if orders > 3:
        waiting["waiter"] = ("room", "line")
    return waiting
