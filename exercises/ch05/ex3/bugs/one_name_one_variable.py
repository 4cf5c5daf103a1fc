# loses: two variables of one name
def where(client):
    places = []
    for turn, (name, device, container) in enumerate(client["variables"]):
        if device:
            task = device.removeprefix("/job:").replace("/task:", ":")
        elif client["in turn"]:
            task = f"ps:{turn % 2}"
        else:
            task = client["server"]  # the master's own task
        unique = name
        places.append((task, container or task.split(":")[0], unique))
    return places
