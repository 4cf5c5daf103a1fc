# loses hidden: all of it in one client
def where(client):
    places, names = [], []
    for turn, (name, device, container) in enumerate(client["variables"]):
        if device:
            task = device.removeprefix("/job:").replace("/task:", ":")
        elif client["in turn"]:
            task = f"ps:{min(turn, 3) % 2}"
        else:
            task = client["server"]  # the master's own task
        names.append(name)
        unique = name if names.count(name) == 1 else f"{name}_{names.count(name) - 1}"
        places.append((task, container or task.split(":")[0], unique))
    return places
