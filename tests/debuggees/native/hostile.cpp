// Everything in it that can be called leaves a trace: see tests/safety/native_corpus.py.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

int counter = 0;
int table[4] = {10, 20, 30, 40};
const char *trace_file = "hostile.trace";

int trace(int value) {
    counter++;
    if (FILE *file = fopen(trace_file, "a")) {
        fprintf(file, "%d\n", value);
        fclose(file);
    }
    return value;
}

struct Node {
    int id;
    Node *next;
};

struct Money {
    int cents;
    Money operator+(const Money &other) const { return Money{trace(cents + other.cents)}; }
    Money operator-() const { return Money{trace(-cents)}; }
    bool operator==(const Money &other) const { return trace(cents) == other.cents; }
    bool operator<(const Money &other) const { return trace(cents) < other.cents; }
    bool operator!() const { return trace(0) == 0; }
    Money &operator++() { cents = trace(cents + 1); return *this; }
    Money &operator=(int value) { cents = trace(value); return *this; }
    operator int() const { return trace(cents); }
    int operator()(int more) const { return trace(more); }
    int get() const { return trace(cents); }
    Money &set(int value) { cents = trace(value); return *this; }
};

struct Handle {
    Node *node;
    Node *operator->() const { trace(1); return node; }
    Node &operator*() const { trace(2); return *node; }
    int operator[](int index) const { return trace(index); }
    explicit operator bool() const { return trace(3); }
};

struct Watched {
    int value;
    Watched(int start) : value(trace(start)) {}
};

long double operator""_traced(long double value) { return trace(int(value)); }

enum Color { RED, GREEN = 5, BLUE = 9 };

int stop(Node *order, Money &price, int boxes) {
    Money left{3}, right{4};
    Node last{2, nullptr}, first{1, &last};
    Node *none = nullptr, *wild = reinterpret_cast<Node *>(0x10);
    Handle handle{&first};
    int a[5] = {0, 1, 4, 9, 16};
    int *middle = &a[2];
    int **twice = &middle;
    unsigned positive = 3;
    int negative = -1;
    long wide = 3000000000;
    unsigned char byte = 200;
    char letter = 'x';
    double half = 0.5;
    bool yes = true;
    Color color = GREEN;
    const char *word = "hello";
    std::string text = "text";
    std::vector<int> numbers{1, 2, 3};
    std::vector<Node> nodes{{7, nullptr}, {8, &last}};
    std::map<std::string, int> stock{{"apple", 1}, {"pear", 2}};
    std::optional<int> some = 5, nothing;
    std::unique_ptr<Node> owner = std::make_unique<Node>(first);
    std::unique_ptr<Node> empty;
    int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int x = 41;
    x += a[0];
    return x + boxes; // @bp stop
}

int main(int argc, char **argv) {
    if (argc > 1)
        trace_file = argv[1];
    Node order{4, nullptr};
    Money price{250};
    int result = stop(&order, price, 3);
    if (argc > 5) {
        Money other = price + price;
        Handle handle{&order};
        std::map<std::string, int> stock;
        result += -price == other, other < price, !price, ++other, other = 3, int(other), price(1), price.get();
        result += other.set(2).cents + handle->id + (*handle).id + handle[1] + (handle ? 1 : 0) + stock["x"];
        result += int(1.5_traced) + Watched(3).value;
    }
    return result == 0;
}
