"""A month's pay."""

from payroll import Payroll, tax
from people import Hourly, Manager, Salaried


def staff():
    ada = Salaried("Ada", 2020, 36000).learn("welding").learn("welding").learn("first aid")
    bob = Hourly("Bob", 2024, 10)
    for hours in (50, 40, 45, 35):
        bob.work(hours)
    cleo = Manager("Cleo", 2014, 60000, [ada])
    dan = Manager("Dan", 2019, 48000, [cleo, bob])
    return [dan, ada, cleo, bob]


def check_people(dan, ada, cleo, bob):
    assert ada.gross(2024) == 3290.0, ada.gross(2024)
    assert bob.gross(2024) == 1750.0
    assert bob.gross(2025) == 1785.0
    assert dan.team_size() == 3
    assert cleo.gross(2024) == 6600.0
    assert dan.gross(2024) == 4900.0
    assert bob.skills == []
    eve = Manager("Eve", 2024, 12000)
    eve.reports.append(bob)
    assert Manager("Fay", 2024, 12000).reports == []


def check_tax():
    assert tax(800) == 0
    assert tax(1500) == 50
    assert tax(2000) == 100
    assert tax(3125.5) == 350.2


def check_payroll(people):
    payroll = Payroll(people, 2024)
    payroll.advance("Bob", 250)
    payroll.advance("Bob", 60)
    first = payroll.run()
    assert list(first) == ["Ada", "Bob", "Cleo", "Dan"]
    assert first["Bob"] == 1396.25
    assert first["Ada"] == 2775.3
    second = payroll.run()
    assert second["Bob"] == 1486.25
    assert payroll.advances["Bob"] == 0
    assert payroll.run()["Bob"] == 1596.25
    assert payroll.yearly("gross")["Bob"] == 5250.0
    assert payroll.yearly("repaid") == {"Ada": 0, "Bob": 310, "Cleo": 0, "Dan": 0}
    assert payroll.yearly("tax")["Cleo"] == 3 * 1608.0


def main():
    people = staff()
    check_people(*people)
    check_tax()
    check_payroll(people)


if __name__ == "__main__":
    main()
