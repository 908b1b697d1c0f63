"""A vending machine: states, coins and change."""

COINS = (200, 100, 50, 20, 10)


class Machine:
    def __init__(self, prices, stock, float_coins):
        self.prices = prices
        self.stock = dict(stock)
        self.coins = dict.fromkeys(COINS, 0)
        for coin, number in float_coins.items():
            self.coins[coin] += number
        self.credit = 0
        self.state = "idle"
        self.log = []

    def enter(self, state):
        self.log.append((self.state, state))
        self.state = state

    def insert(self, coin):
        if coin not in COINS:
            return False
        if self.state == "idle":
            self.enter("paying")
        elif self.state != "paying":
            return False
        self.coins[coin] += 1
        self.credit += coin
        return True

    def change_for(self, amount):
        """Coins for an amount, or None; large ones first."""
        given = {}
        for coin in COINS:
            number = min(amount // coin, self.coins[coin])
            if number:
                given[coin] = number
                amount -= number * coin
        return None if amount else given

    def pay_out(self, coins):
        for coin, number in coins.items():
            self.coins[coin] -= number
        self.credit = 0

    def select(self, article):
        if self.state != "paying" or not self.stock.get(article):
            return None
        price = self.prices[article]
        if self.credit < price:
            return None
        change = self.change_for(self.credit - price)
        if change is None:
            self.enter("no change")
            return None
        self.stock[article] -= 1
        self.pay_out(change)
        self.enter("idle")
        return change

    def cancel(self):
        if self.state == "idle":
            return {}
        back = self.change_for(self.credit)
        self.pay_out(back)
        self.enter("idle")
        return back

    @property
    def cash(self):
        return sum(coin * number for coin, number in self.coins.items())
