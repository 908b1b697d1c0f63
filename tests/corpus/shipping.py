"""Quotes for shipping, remembered because the tariff is slow to compute."""

ZONES = {"DE": 1, "FR": 2, "JP": 4, "NZ": 5}
BASE = {"letter": 100, "parcel": 490}


class Quotes:
    def __init__(self):
        self.known = {}
        self.hits = 0

    def quote(self, kind, grams, country):
        """Price in cents."""
        key = (kind, country)
        if key in self.known:
            self.hits += 1
            return self.known[key]
        price = tariff(kind, grams, country)
        self.known[key] = price
        return price


def tariff(kind, grams, country):
    zone = ZONES[country]
    steps = grams // 500
    return BASE[kind] * zone + steps * 60 * zone


class Shipment:
    def __init__(self, kind, grams, country):
        self.kind = kind
        self.grams = grams
        self.country = country


SHIPMENTS = [
    Shipment("letter", 40, "DE"),
    Shipment("parcel", 900, "JP"),
    Shipment("letter", 45, "DE"),
    Shipment("parcel", 4800, "JP"),
    Shipment("parcel", 2100, "FR"),
]


def cost_of(shipments, quotes):
    costs = []
    for shipment in shipments:
        costs.append(quotes.quote(shipment.kind, shipment.grams, shipment.country))
    return costs


def main():
    quotes = Quotes()
    costs = cost_of(SHIPMENTS, quotes)
    for shipment, cost in zip(SHIPMENTS, costs):
        print(f"{shipment.kind} {shipment.grams:>5} g to {shipment.country}: {cost / 100:>7.2f}")
    light, heavy = costs[1], costs[3]
    assert heavy > light, "4800 g cost more than 900 g"
    print(f"{quotes.hits} quotes were remembered")


if __name__ == "__main__":
    main()
