from accounts import Account, Business, Savings
from bank import Bank, cents

bank = Bank()
bank.open(Account(1, "Ada", limit=5000), 20000)
bank.open(Savings(2, "Bob", rate=3), 120000)
bank.open(Business(3, "Cleo", limit=0, fee=50), 90000)

results = [
    bank.transfer(3, 1, 2, 22500),
    bank.transfer(4, 1, 3, 2501),
    bank.transfer(5, 3, 1, 10000),
    bank.transfer(6, 3, 2, 5000),
    bank.transfer(7, 3, 1, 60000),
    bank.transfer(8, 3, 1, 14940),
    bank.transfer(9, 3, 1, 10000),
]

assert results == [True, False, True, True, True, False, True], results
assert bank.refused == [(4, 1, 3, 2501), (8, 3, 1, 14940)]
assert bank.accounts[1].balance == 77500
assert bank.accounts[2].balance == 147500
assert bank.accounts[3].balance == 4890
assert bank.income == 110
assert bank.total() + bank.income == 230000

bank.month_end(1, 30)
savings = bank.accounts[2]
assert savings.entries[-1] == (30, "interest", 362)
assert bank.income == -252
assert savings.balance_at(5) == 142500

assert cents(-5) == "-0.05"
assert cents(123456) == "1234.56"
lines = bank.statement(1, first_day=5)
assert len(lines) == 3
assert lines[0].split() == ["5", "from", "Cleo", "100.00", "75.00"]
assert lines[-1].endswith("775.00")
full = bank.statement(3)
assert full[0] == " 1 deposit         900.00    900.00"
assert len(full) == 7
print("\n".join(full))
