def where(client):
    """Say where each variable of a client is.

    client: a dictionary with "server", "in turn" and "variables", which is a
        list of (name, device, container)
    return: a list of (task, container, name), such as ("ps:0", "ps", "v1")
    """
    raise NotImplementedError("write this function")
