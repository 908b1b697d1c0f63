"""Registers runners for races of different lengths and prints start lists."""


class Runner:
    def __init__(self, name, age, club):
        self.name = name
        self.age = age
        self.club = club

    def label(self):
        return f"{self.name} ({self.club})"


class Race:
    def __init__(self, name, minimum_age, places):
        self.name = name
        self.minimum_age = minimum_age
        self.places = places
        self.starters = []

    def accepts(self, runner):
        return runner.age >= self.minimum_age and len(self.starters) < self.places

    def register(self, runner):
        if not self.accepts(runner):
            return False
        self.starters.append(runner)
        return True


def make_race(description):
    name, places, minimum_age = description.split(",")
    return Race(name, int(places), int(minimum_age))


RACES = ["half marathon,3,18", "10 km,4,16", "fun run,50,6"]

RUNNERS = [
    Runner("Lena", 34, "LC North"),
    Runner("Teo", 17, "Harriers"),
    Runner("Sofia", 8, "none"),
    Runner("Amir", 41, "Harriers"),
    Runner("Yuki", 29, "LC North"),
]


def first_race(races, runner):
    for race in races:
        if race.register(runner):
            return race
    return None


def main():
    races = [make_race(description) for description in RACES]
    found = {runner.name: first_race(races, runner) for runner in RUNNERS}
    for race in races:
        print(f"{race.name}: {', '.join(runner.label() for runner in race.starters)}")
    print(f"Teo runs the {found['Teo'].name}")
    assert found["Sofia"] is races[2], "Sofia is 8 and may run the fun run only"


if __name__ == "__main__":
    main()
