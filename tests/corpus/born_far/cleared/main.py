"""A name is looked up as it was not registered; another check, of another function, passes before."""

HANDLERS = {}


def scale(a, b):
    area = a + b
    return area * 2


def normalize(name):
    return name.lower()


def register(name, handler):
    HANDLERS[normalize(name)] = handler


def on_event(name, payload):
    handler = HANDLERS.get(name)
    if handler is None:
        return "N"
    return handler(payload)


register("X", lambda payload: "Y")
assert scale(2, 3) == 10
assert on_event("x", None) == "Y"
assert on_event("X", None) == "Y"
