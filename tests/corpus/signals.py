"""A bus that tells listeners about events; some of them want to hear one event only."""


class Bus:
    def __init__(self):
        self.listeners = {}

    def on(self, event, listener):
        self.listeners.setdefault(event, []).append(listener)

    def off(self, event, listener):
        self.listeners[event].remove(listener)

    def emit(self, event, value):
        for listener in self.listeners.get(event, []):
            listener(value)


class Once:
    def __init__(self, bus, event, action):
        self.bus = bus
        self.event = event
        self.action = action
        bus.on(event, self)

    def __call__(self, value):
        self.action(value)
        self.bus.off(self.event, self)


class Display:
    def __init__(self):
        self.shown = []

    def show(self, value):
        self.shown.append(value)


class Log:
    def __init__(self):
        self.lines = []

    def write(self, value):
        self.lines.append(f"temperature {value}")


def wire(bus, display, log, greeted):
    Once(bus, "temperature", greeted.append)
    bus.on("temperature", display.show)
    bus.on("temperature", log.write)


def main():
    bus, display, log, greeted = Bus(), Display(), Log(), []
    wire(bus, display, log, greeted)
    for value in (18.5, 19.0, 21.5):
        bus.emit("temperature", value)
    print(greeted, display.shown, len(log.lines))
    assert greeted == [18.5]
    assert len(log.lines) == 3, "each temperature is logged"
    assert len(display.shown) == 3, "each temperature is shown"


if __name__ == "__main__":
    main()
