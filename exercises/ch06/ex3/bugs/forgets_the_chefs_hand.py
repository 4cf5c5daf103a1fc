# loses: one order more than that: dinner(3, 2)
def who_waits(orders, room):
    if orders <= room:
        return {}
    return {"waiter": ("room", "line"), "chef": ("room", "line"), "guest": ("element", "dishes")}
