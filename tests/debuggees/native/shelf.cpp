/* A null element that a map makes by itself, in a method that returns it. */
#include <cstdio>
#include <map>
#include <string>

struct Book {
    std::string title;
    int pages;
};

class Shelf {
  public:
    void put(const std::string& place, Book* book) { books_[place] = book; }
    Book* at(const std::string& place) {
        return books_[place]; /* @bp made */
    }

  private:
    std::map<std::string, Book*> books_;
};

static int pages(Shelf& shelf, const std::string& place) {
    Book* book = shelf.at(place);
    return book->pages;
}

int main() {
    Shelf shelf;
    Book book{"Dune", 412};
    shelf.put("A1", &book);
    std::printf("%d\n", pages(shelf, "A1"));
    std::printf("%d\n", pages(shelf, "B2"));
}
