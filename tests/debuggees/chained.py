"""An exception with a cause, whose own context is a third one, and a note where Python has them."""


class ConfigError(Exception):
    def __init__(self, name, value):
        super().__init__(f"bad value for {name}")
        self.name = name
        self.value = value


def parse(text):
    return int(text)


def port_of(settings):
    try:
        return settings["port"]
    except KeyError:
        return parse(settings["default port"])  # @bp context


def load(settings):
    try:
        return port_of(settings)
    except ValueError as error:
        failure = ConfigError("port", settings["default port"])
        if hasattr(failure, "add_note"):
            failure.add_note("settings came from the defaults")
        raise failure from error  # @bp


load({"default port": "eighty"})
