"""Scales recipes and adds up what has to be bought."""

from collections import defaultdict

RECIPES = {
    "pancakes": {"serves": 4, "needs": {"flour": 250, "milk": 500, "eggs": 3}},
    "omelette": {"serves": 2, "needs": {"eggs": 5, "butter": 20}},
    "custard": {"serves": 6, "needs": {"milk": 750, "eggs": 4, "sugar": 90}},
}

PRICES = {"flour": 0.001, "milk": 0.0012, "eggs": 0.35, "butter": 0.011, "sugar": 0.0015}

PLAN = [("pancakes", 8), ("omelette", 2), ("custard", 3)]


def scaled(recipe, people):
    factor = people / recipe["serves"]
    return {name: amount * factor for name, amount in recipe["needs"].items()}


def shopping_list(plan):
    amounts = defaultdict(float)
    for dish, people in plan:
        for name, amount in scaled(RECIPES[dish], people).items():
            amounts[name] += amount
    return dict(amounts)


def cost(amounts):
    return sum(PRICES[name] * amount for name, amount in amounts.items())


def dearest(amounts):
    return max(amounts, key=lambda name: PRICES[name] * amounts[name])


def budget(plan, limit):
    amounts = shopping_list(plan)
    costs = {}
    for dish, people in plan:
        cost = sum(PRICES[name] * amount for name, amount in scaled(RECIPES[dish], people).items())
        costs[dish] = round(cost, 2)
    total = cost(amounts)
    if total > limit:
        raise ValueError(f"{total:.2f} is over the budget of {limit:.2f}")
    return costs, total


def main():
    costs, total = budget(PLAN, limit=20)
    for dish, amount in costs.items():
        print(f"{dish:<10} {amount:>6.2f}")
    print(f"{'total':<10} {total:>6.2f}, mostly for {dearest(shopping_list(PLAN))}")


if __name__ == "__main__":
    main()
