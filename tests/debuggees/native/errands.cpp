/* A null element that a map makes by itself, met two calls further in, in a loop that has never run. */
#include <cstdio>
#include <map>
#include <memory>
#include <string>

struct Errand {
    std::string what;
    std::unique_ptr<Errand> next;
};

Errand* last(Errand* list) {
    while (list->next) {
        list = list->next.get();
    }
    return list;
}

void append(Errand* list, const std::string& what) {
    last(list)->next = std::make_unique<Errand>(Errand{what, nullptr});
}

int main() {
    std::map<std::string, Errand*> ofDay;
    Errand monday{"post", nullptr};
    ofDay["monday"] = &monday;
    append(ofDay["monday"], "bank");
    append(ofDay["friday"], "market"); /* @bp made */
    std::printf("%zu days\n", ofDay.size());
}
