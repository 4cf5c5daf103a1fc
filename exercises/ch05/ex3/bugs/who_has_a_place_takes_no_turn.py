# loses: in turn, also beside one that has its place
def where(client):
    places, names, turn = [], [], 0
    for name, device, container in client["variables"]:
        if device:
            task = device.removeprefix("/job:").replace("/task:", ":")
        elif client["in turn"]:
            task = f"ps:{turn % 2}"
            turn += 1
        else:
            task = client["server"]  # the master's own task
        names.append(name)
        unique = name if names.count(name) == 1 else f"{name}_{names.count(name) - 1}"
        places.append((task, container or task.split(":")[0], unique))
    return places
