"""Splitting text into sentences and words."""

ENDS = ".!?"
STOP_WORDS = {"the", "a", "an", "of", "and", "to", "in", "is", "it"}


def sentences(text):
    found = []
    current = ""
    for char in text:
        current += char
        if char in ENDS:
            found.append(current.strip())
            current = ""
    if current.strip():
        found.append(current.strip())
    return found


def clean(word):
    return word.strip(".,;:!?\"'()").lower()


def words(text):
    result = []
    for part in text.split():
        word = clean(part)
        if word:
            result.append(word)
    return result


def syllables(word):
    count = 0
    previous_vowel = False
    for char in word:
        vowel = char in "aeiouy"
        if vowel and not previous_vowel:
            count += 1
        previous_vowel = vowel
    if word.endswith("e") and count > 1:
        count -= 1
    return max(count, 1)


def content_words(text):
    return [word for word in words(text) if word not in STOP_WORDS]
