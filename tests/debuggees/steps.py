"""Stops as often as one likes: a loop, a call, a value that changes."""


def double(number):
    result = number * 2  # @bp double
    return result


def main():
    total = 0
    for number in range(5):
        total += double(number)  # @bp loop
    print("total", total, flush=True)  # @bp end


if __name__ == "__main__":
    main()
