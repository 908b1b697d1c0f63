"""A bank: transfers, statements and the end of the month."""

from accounts import Refused, Savings


class Bank:
    def __init__(self):
        self.accounts = {}
        self.income = 0
        self.refused = []

    def open(self, account, deposit=0):
        self.accounts[account.number] = account
        if deposit:
            account.book(1, "deposit", deposit)
        return account

    def transfer(self, day, source, target, amount):
        payer = self.accounts[source]
        payee = self.accounts[target]
        before = len(payer.entries)
        try:
            payer.book(day, f"to {payee.owner}", -amount)
            fee = payer.fee(amount)
            if fee:
                payer.book(day, "fee", -fee)
                self.income += fee
        except Refused:
            del payer.entries[before:]
            self.refused.append((day, source, target, amount))
            return False
        payee.book(day, f"from {payer.owner}", amount)
        return True

    def month_end(self, first_day, last_day):
        for account in self.accounts.values():
            if isinstance(account, Savings):
                earned = account.interest(first_day, last_day)
                account.book(last_day, "interest", earned)
                self.income -= earned

    def total(self):
        return sum(account.balance for account in self.accounts.values())

    def statement(self, number, first_day=1):
        account = self.accounts[number]
        balance = account.balance_at(first_day - 1)
        lines = []
        for day, text, amount in account.entries:
            if day < first_day:
                continue
            balance += amount
            lines.append(f"{day:>2} {text:<12} {cents(amount):>9} {cents(balance):>9}")
        return lines


def cents(amount):
    sign = "-" if amount < 0 else ""
    return f"{sign}{abs(amount) // 100}.{abs(amount) % 100:02d}"
