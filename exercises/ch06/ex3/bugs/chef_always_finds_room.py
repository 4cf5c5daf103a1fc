# loses: what the chef waits for, of dinner(4, 2)
def who_waits(orders, room):
    if orders <= room:
        return {}
    # "The chef has just taken one out, so there is room."
    return {"waiter": ("room", "line"), "guest": ("element", "dishes")}
