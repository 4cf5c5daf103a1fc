# loses: room for all orders: dinner(2, 2)
def who_waits(orders, room):
    waiting = {"chef": ("room", "line"), "guest": ("element", "dishes")}
    if orders > room + 1:
        waiting["waiter"] = ("room", "line")
    return waiting
