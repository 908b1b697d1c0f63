"""Smooths a day of temperatures with a moving average."""

TEMPERATURES = [11.5, 11.0, 10.5, 12.0, 14.5, 17.0, 19.5, 21.0, 20.5, 18.0, 15.5, 13.0]


def window_sum(values, start, width):
    total = 0.0
    for offset in range(width):
        total += values[start + offset]
    return total


def moving_average(values, width):
    averages = []
    for start in range(len(values) - width + 2):
        averages.append(window_sum(values, start, width) / width)
    return averages


def main():
    smooth = moving_average(TEMPERATURES, width=3)
    peak = max(smooth)
    print(f"{len(smooth)} averages, the warmest is {peak:.1f}")


if __name__ == "__main__":
    main()
