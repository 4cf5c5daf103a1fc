def where(client):
    places, names = [], []
    for turn, (name, device, container) in enumerate(client["variables"]):
        if device:
            task = device.removeprefix("/job:").replace("/task:", ":")
        elif client["in turn"]:
            task = f"ps:{turn % 2}"  # who has a device of its own has used up a turn as well
        else:
            task = client["server"]  # the master's own task
        # One graph, so one name for each, whatever the container.
        names.append(name)
        unique = name if names.count(name) == 1 else f"{name}_{names.count(name) - 1}"
        # The default container is called like the job of the task.
        places.append((task, container or task.split(":")[0], unique))
    return places
