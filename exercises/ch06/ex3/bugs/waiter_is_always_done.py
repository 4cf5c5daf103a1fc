# loses: what the waiter waits for, of dinner(4, 2)
def who_waits(orders, room):
    return {"chef": ("room", "line"), "guest": ("element", "dishes")} if orders > room else {}
