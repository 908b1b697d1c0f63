"""Keeps a reading list for each member of a book club."""


class Member:
    def __init__(self, name, books=[]):
        self.name = name
        self.books = books

    def add(self, title):
        if title not in self.books:
            self.books.append(title)


class Club:
    def __init__(self):
        self.members = {}

    def join(self, name):
        member = Member(name)
        self.members[name] = member
        return member

    def longest_list(self):
        return max(self.members.values(), key=lambda member: len(member.books))


def main():
    club = Club()
    ada = club.join("Ada")
    ada.add("Middlemarch")
    ada.add("Invisible Cities")

    grace = club.join("Grace")
    grace.add("The Periodic Table")

    print(f"Grace reads {', '.join(grace.books)}")
    assert len(grace.books) == 1, "Grace has added one book"
    print(f"{club.longest_list().name} has the longest list")


if __name__ == "__main__":
    main()
