// A name with a blank at its end is not found, and what is returned for it is used.
#include <iostream>
#include <map>
#include <string>

struct Station {
    int minutes;
};

static Station *look_up(const std::map<std::string, Station *> &stations, const std::string &name) {
    const auto found = stations.find(name);
    return found == stations.end() ? nullptr : found->second;
}

static int minutes_to(const std::map<std::string, Station *> &stations, const std::string &name) {
    Station *station = look_up(stations, name);
    return station->minutes; // @bp failing
}

int main() {
    Station harbour{7}, airport{12};
    const std::map<std::string, Station *> stations{{"Harbour", &harbour}, {"Airport ", &airport}};
    std::cout << minutes_to(stations, "Airport") << '\n';
}
