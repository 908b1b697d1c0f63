"""Where visitors come from."""


def country_of(visitor):
    """The code of the country."""
    return visitor.get("country", "")
