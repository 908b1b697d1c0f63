"""Students, their points and their grades."""

from figures import deviation, mean

BOUNDS = [(90, "A"), (75, "B"), (60, "C"), (50, "D")]


class Course:
    def __init__(self, weights):
        self.weights = weights
        self.points = {}

    def record(self, student, task, points):
        if not 0 <= points <= 100:
            raise ValueError(f"{points} points")
        self.points.setdefault(student, {})[task] = points

    def total(self, student):
        """Weighted points; a task not handed in counts nothing."""
        done = self.points[student]
        reached = sum(done.get(task, 0) * weight for task, weight in self.weights.items())
        return reached / sum(self.weights.values())

    def grade(self, student):
        total = self.total(student)
        for bound, grade in BOUNDS:
            if total >= bound:
                return grade
        return "F"

    def ranking(self):
        """Places from 1 on; equal totals share a place."""
        totals = sorted(((self.total(student), student) for student in self.points), key=lambda one: (-one[0], one[1]))
        places = {}
        for index, (total, student) in enumerate(totals):
            if index and total == totals[index - 1][0]:
                places[student] = places[totals[index - 1][1]]
            else:
                places[student] = index + 1
        return places

    def standardised(self, task):
        scores = {student: done[task] for student, done in self.points.items() if task in done}
        center = mean(list(scores.values()))
        spread = deviation(list(scores.values()))
        return {student: round((score - center) / spread, 2) for student, score in scores.items()}
