"""Evaluates a survey: answers from 1 to 5, some of them unusable."""

ANSWERS = """
4 5 3 - 2 5 4
3 3 x 4 1 5 5
2 4 4 4 - 3 5
"""


def is_usable(mark):
    return mark.isdigit() and 1 <= int(mark) <= 5


def usable(marks):
    return (int(mark) for mark in marks if is_usable(mark))


def average(total, count):
    return total / count


def spread(numbers):
    numbers = list(numbers)
    mean = average(sum(numbers), len(numbers))
    return average(sum((number - mean) ** 2 for number in numbers), len(numbers)) ** 0.5


class Result:
    def __init__(self, question):
        self.question = question
        self.lowest = None
        self.spread = None


def evaluate(question, text):
    answers = usable(text.split())
    result = Result(question)
    result.lowest = min(answers)
    result.spread = spread(answers)
    return result


def report(result):
    print(result.question)
    print(f"   lowest answer {result.lowest}, spread {result.spread:.2f}")


def main():
    result = evaluate("How do you like the new timetable?", ANSWERS)
    report(result)


if __name__ == "__main__":
    main()
