"""Members of clubs."""

from roster import enrol

REQUESTS = [("chess", "Ann"), ("chess", "Bo"), ("rowing", "Cy")]


def main():
    """Prints the members."""
    clubs = enrol(["chess", "rowing", "choir"], REQUESTS)
    assert clubs["choir"] == [], clubs
    print(clubs)


main()
