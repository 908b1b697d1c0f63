"""Run with `python -m pytest`: one test fails, one has an error in a helper, one passes."""


def slug(title):
    return title.lower().replace(" ", "-")


def first_word(title):
    return title.split()[0]


def test_a_title_becomes_a_slug():
    assert slug("Old Harbour") == "old-harbour"


def test_punctuation_is_dropped():
    result = slug("Harbour, old")
    assert result == "harbour-old"  # @bp failure


def test_an_empty_title_has_no_first_word():
    assert first_word("") == ""  # @bp error
