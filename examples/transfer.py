"""Moves money between two accounts, with a fee that the sender pays."""


class InsufficientFunds(Exception):
    pass


class Account:
    def __init__(self, owner, balance):
        self.owner = owner
        self.balance = balance

    def withdraw(self, amount):
        if amount > self.balance:
            raise InsufficientFunds(f"{self.owner} has {self.balance}, not {amount}")
        self.balance -= amount

    def deposit(self, amount):
        self.balance += amount


def transfer(source, destination, amount, fee):
    source.withdraw(amount + fee)
    destination.deposit(amount)


def pay_salaries(company, employees, salary, fee):
    for employee in employees:
        transfer(employee, company, salary, fee)


def main():
    company = Account("Lighthouse Ltd", 90_000)
    employees = [Account("Imani", 1_200), Account("Pavel", 300)]
    pay_salaries(company, employees, salary=4_000, fee=15)
    print(f"{company.owner} keeps {company.balance}")


if __name__ == "__main__":
    main()
