"""Ends with a group of exceptions, one of them in a group of its own. Needs Python 3.11."""


def attempt(number):
    return 100 / number + [1, 2, 3][number]


errors = []
for number in (0, 1, 7):
    try:
        attempt(number)
    except (ZeroDivisionError, IndexError) as error:
        errors.append(error)
raise ExceptionGroup("some attempts failed", [errors[0], ExceptionGroup("late ones", errors[1:])])  # @bp
