# loses: two variables of one name
def where(client):
    places, names = [], []
    for turn, (name, device, container) in enumerate(client["variables"]):
        if device:
            task = device.removeprefix("/job:").replace("/task:", ":")
        elif client["in turn"]:
            task = f"ps:{turn % 2}"
        else:
            task = client["server"]  # the master's own task
        names.append((container, name))
        unique = (
            name
            if names.count((container, name)) == 1
            else f"{name}_{names.count((container, name)) - 1}"
        )
        places.append((task, container or task.split(":")[0], unique))
    return places
