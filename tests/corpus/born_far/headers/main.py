"""The names of the headers of a message."""

from message import names

TEXT = """Subject: hello
From: ann
Urgent
To: bob"""


def main():
    """Prints the names."""
    found = names(TEXT)
    assert found == ["subject", "from", "urgent", "to"], found
    print(found)


main()
