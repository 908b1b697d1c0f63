"""Settings in layers: defaults, a file, the environment."""

from reading import SettingsError, converted


def merged(*layers):
    result = {}
    for layer in layers:
        for key, value in layer.items():
            if isinstance(value, dict):
                below = result.get(key)
                result[key] = merged(below if isinstance(below, dict) else {}, value)
            elif isinstance(value, list):
                result[key] = list(value)
            else:
                result[key] = value
    return result


def from_environment(environment, prefix):
    found = {}
    for name, text in sorted(environment.items()):
        if not name.startswith(prefix + "_"):
            continue
        place = found
        *parents, last = name[len(prefix) + 1 :].lower().split("__")
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = converted(text)
    return found


class Settings:
    def __init__(self, *layers):
        self.values = merged(*layers)

    def get(self, path, default=None):
        place = self.values
        for name in path.split("."):
            if not isinstance(place, dict) or name not in place:
                return default
            place = place[name]
        return self.expanded(place, (path,))

    def expanded(self, value, asking):
        if not isinstance(value, str):
            return value
        result = ""
        rest = value
        while "${" in rest:
            before, _, rest = rest.partition("${")
            name, closing, rest = rest.partition("}")
            if not closing:
                raise SettingsError(f"unclosed reference in {value}")
            if name in asking:
                raise SettingsError(f"{name} refers to itself")
            result += before + str(self.raw(name, asking))
        return result + rest

    def raw(self, path, asking):
        place = self.values
        for name in path.split("."):
            place = place[name]
        return self.expanded(place, (*asking, path))

    def flat(self):
        found = {}

        def visit(place, prefix):
            for key, value in place.items():
                if isinstance(value, dict):
                    visit(value, f"{prefix}{key}.")
                else:
                    found[prefix + key] = value

        visit(self.values, "")
        return found
