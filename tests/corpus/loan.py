"""Pays a loan back in equal monthly instalments and prints the plan."""

from dataclasses import dataclass


@dataclass
class Loan:
    principal: int
    """In cents."""
    percent: int
    """Interest a year."""
    months: int


@dataclass
class Month:
    number: int
    interest: float
    repaid: float
    left: float


def monthly_rate(loan):
    return loan.percent // 12 / 100


def instalment(loan):
    rate = monthly_rate(loan)
    if rate == 0:
        return loan.principal / loan.months
    return loan.principal * rate / (1 - (1 + rate) ** -loan.months)


def plan(loan):
    pay = instalment(loan)
    rate = monthly_rate(loan)
    left = float(loan.principal)
    months = []
    for number in range(1, loan.months + 1):
        interest = left * rate
        repaid = pay - interest
        left -= repaid
        months.append(Month(number, interest, repaid, left))
    return months


def total_interest(months):
    return sum(month.interest for month in months)


def main():
    loan = Loan(principal=1_200_000, percent=6, months=24)
    months = plan(loan)
    for month in months[:3]:
        print(f"{month.number:>3} {month.repaid / 100:>10.2f} {month.left / 100:>12.2f}")
    assert abs(months[-1].left) < 1, "the loan is paid back at the end"
    cost = total_interest(months)
    assert cost > 0, "a loan at 6 % costs something"
    print(f"interest in all: {cost / 100:.2f}")


if __name__ == "__main__":
    main()
