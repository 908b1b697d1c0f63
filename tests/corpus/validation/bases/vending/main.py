from machine import Machine
from service import collect, income, refill, sold, transitions

PRICES = {"tea": 120, "cola": 150, "bar": 90}
STOCK = {"tea": 2, "cola": 1, "bar": 3}


def buy(machine, article, *coins):
    for coin in coins:
        assert machine.insert(coin), coin
    return machine.select(article)


def main():
    machine = Machine(PRICES, STOCK, {50: 2, 20: 3, 10: 2})
    assert machine.cash == 180

    assert buy(machine, "tea", 200) == {50: 1, 20: 1, 10: 1}
    assert machine.credit == 0
    assert machine.cash == 300
    assert not machine.insert(5)
    assert machine.state == "idle"

    assert buy(machine, "cola", 100) is None
    assert machine.credit == 100
    assert buy(machine, "cola", 50) == {}
    assert machine.stock["cola"] == 0
    assert buy(machine, "cola", 200) is None
    assert machine.cancel() == {200: 1}
    assert machine.cash == 450

    assert buy(machine, "bar", 100, 50) == {50: 1, 10: 1}
    assert sold(STOCK, machine) == {"tea": 1, "cola": 1, "bar": 1}
    assert income(STOCK, machine) == 360
    assert machine.cash == 180 + 360

    assert buy(machine, "bar", 50, 50) is None
    assert machine.state == "no change"
    assert not machine.insert(10)
    assert machine.cancel() == {100: 1}
    assert transitions([machine]) == {"idle>paying": 5, "paying>idle": 4, "paying>no change": 1, "no change>idle": 1}

    supply = {"tea": 5, "cola": 2, "bar": 0}
    assert refill(machine, {"tea": 4, "cola": 4, "bar": 4}, supply) == {"tea": 3, "cola": 2}
    assert supply == {"tea": 2, "cola": 0, "bar": 0}
    assert machine.stock == {"tea": 4, "cola": 2, "bar": 2}
    assert collect(machine, keep=1) == 170
    assert machine.cash == 370


main()
