"""A cache of pages that forgets the one that was not used for longest."""

from collections import OrderedDict


class PageCache:
    def __init__(self, capacity, load):
        self.capacity = capacity
        self.load = load
        self.pages = OrderedDict()
        self.misses = 0

    def get(self, name):
        if name in self.pages:
            self.pages.move_to_end(name)
            return self.pages[name]
        self.misses += 1
        self.pages[name] = self.load(name)
        self.shrink()
        return self.pages[name]

    def shrink(self):
        while len(self.pages) > self.capacity:
            self.pages.popitem()


def load(name):
    return f"<h1>{name.title()}</h1>"


def visit(cache, names):
    sizes = {}
    for name in names:
        page = cache.get(name)
        sizes[name] = len(page)
    return sizes


def main():
    cache = PageCache(capacity=3, load=load)
    visits = ["home", "about", "home", "shop", "home", "cart", "shop"]
    sizes = visit(cache, visits)
    print(f"{len(sizes)} pages, {cache.misses} misses")
    assert "home" in cache.pages
    assert "about" not in cache.pages, "the page that was not used for longest is forgotten"


if __name__ == "__main__":
    main()
