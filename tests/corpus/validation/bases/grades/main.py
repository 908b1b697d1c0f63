from course import Course
from figures import correlation, deviation, histogram, mean, median, modes, moving_mean, quantile

HOURS = [2, 9, 5, 5, 10, 7]
POINTS = [51, 98, 74, 68, 95, 76]


def filled():
    course = Course({"homework": 1, "project": 2, "exam": 3})
    table = {
        "Ada": (90, 95, 98),
        "Bob": (60, 70, 51),
        "Cleo": (88, 80, 74),
        "Dan": (100, 40, None),
        "Eve": (88, 71, 80),
    }
    for student, (homework, project, exam) in table.items():
        course.record(student, "homework", homework)
        course.record(student, "project", project)
        if exam is not None:
            course.record(student, "exam", exam)
    return course


def check_numbers():
    assert mean(POINTS) == 77
    assert median(POINTS) == 75
    assert median([3, 1, 2]) == 2
    assert round(deviation(POINTS), 3) == 17.504
    assert quantile(POINTS, 0.25) == 69.5
    assert quantile(POINTS, 1) == 98
    assert modes([3, 1, 3, 2, 1]) == [1, 3]
    assert round(correlation(HOURS, POINTS), 3) == 0.97
    assert histogram(POINTS, 20) == {40: 1, 60: 3, 80: 2}
    assert moving_mean(HOURS, 3) == [16 / 3, 19 / 3, 20 / 3, 22 / 3]


def check_course():
    course = filled()
    assert round(course.total("Ada"), 2) == 95.67
    assert course.total("Dan") == 30
    grades = "".join(course.grade(student) for student in course.points)
    assert grades == "ADBFB", grades
    places = course.ranking()
    assert places["Ada"] == 1
    assert places["Cleo"] == places["Eve"] == 2
    assert places["Bob"] == 4
    assert list(places) == ["Ada", "Cleo", "Eve", "Bob", "Dan"]
    course.record("Fay", "exam", 60)
    assert course.ranking()["Fay"] == 5
    assert course.ranking()["Dan"] == 5
    standard = course.standardised("exam")
    assert standard["Ada"] == 1.39
    assert "Dan" not in standard


check_numbers()
check_course()
