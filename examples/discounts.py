"""Prices a basket with one discount rule for each kind of customer."""

RATES = {"regular": 0.00, "student": 0.20, "staff": 0.35}


def make_rules(rates):
    """A function price -> discounted price for each kind of customer."""
    rules = {}
    for kind, rate in rates.items():
        rules[kind] = lambda price: round(price * (1 - rate), 2)
    return rules


def total(basket, rule):
    return sum(rule(price) for price in basket)


def main():
    rules = make_rules(RATES)
    basket = [19.90, 4.50, 12.00]
    full_price = sum(basket)
    totals = {kind: total(basket, rule) for kind, rule in rules.items()}
    for kind, amount in totals.items():
        print(f"{kind:<8} {amount:>6.2f}")
    assert abs(totals["regular"] - full_price) < 0.005, "regular customers pay the full price"


if __name__ == "__main__":
    main()
