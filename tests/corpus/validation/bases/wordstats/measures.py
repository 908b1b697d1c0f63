"""Figures about a text."""

from words import content_words, sentences, syllables, words


class Report:
    def __init__(self, text):
        self.text = text
        self.words = words(text)
        self.sentences = sentences(text)
        self.counts = {}
        for word in content_words(text):
            self.counts[word] = self.counts.get(word, 0) + 1

    def top(self, limit):
        ordered = sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))
        return ordered[:limit]

    def words_per_sentence(self):
        return len(self.words) / len(self.sentences)

    def syllables_per_word(self):
        total = 0
        for word in self.words:
            total += syllables(word)
        return total / len(self.words)

    def reading_ease(self):
        ease = 206.835 - 1.015 * self.words_per_sentence() - 84.6 * self.syllables_per_word()
        return round(ease, 1)

    def longest_sentence(self):
        best = ""
        for sentence in self.sentences:
            if len(words(sentence)) > len(words(best)):
                best = sentence
        return best


def pairs(items):
    return list(zip(items, items[1:]))


def common_pairs(text, minimum=2):
    counts = {}
    for sentence in sentences(text):
        for pair in pairs(words(sentence)):
            counts.setdefault(pair, 0)
            counts[pair] += 1
    return {pair: count for pair, count in counts.items() if count >= minimum}


def concordance(text, wanted, width=2):
    found = []
    all_words = words(text)
    for index, word in enumerate(all_words):
        if word == wanted:
            before = all_words[max(0, index - width) : index]
            after = all_words[index + 1 : index + 1 + width]
            found.append((before, after))
    return found
