# loses: what the guest waits for, of dinner(4, 2)
def who_waits(orders, room):
    if orders <= room:
        return {}
    waiting = {"chef": ("room", "line"), "guest": ("room", "dishes")}
    if orders > room + 1:
        waiting["waiter"] = ("room", "line")
    return waiting
