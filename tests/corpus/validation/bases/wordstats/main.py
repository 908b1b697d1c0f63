from measures import Report, common_pairs, concordance
from words import sentences, syllables, words

STORY = """The old lighthouse stands on the rocks. Every evening the keeper climbs the stairs, and
the keeper lights the lamp! Does the lamp burn until morning? It does. Sailors trust the old lighthouse
and the lamp"""


def check_splitting():
    parts = sentences(STORY)
    assert len(parts) == 5
    assert parts[3] == "It does."
    assert parts[4].endswith("the lamp")
    assert words('He said: "stop!"') == ["he", "said", "stop"]


def check_syllables():
    known = {"lamp": 1, "keeper": 2, "lighthouse": 2, "morning": 2, "the": 1, "rhythm": 1, "evening": 3}
    for word, expected in known.items():
        assert syllables(word) == expected, word


def check_report():
    report = Report(STORY)
    assert report.top(3) == [("lamp", 3), ("does", 2), ("keeper", 2)]
    assert len(report.words) == 36
    assert round(report.words_per_sentence(), 2) == 7.2
    assert report.longest_sentence().startswith("Every evening")
    assert report.reading_ease() == 89.1


def check_pairs():
    found = common_pairs(STORY)
    assert found[("the", "lamp")] == 3
    assert ("lamp", "does") not in found
    assert len(found) == 5
    around = concordance(STORY, "old")
    assert around[0] == (["the"], ["lighthouse", "stands"])
    assert around[1][1] == ["lighthouse", "and"]


if __name__ == "__main__":
    check_splitting()
    check_syllables()
    check_report()
    check_pairs()
    print("all good")
