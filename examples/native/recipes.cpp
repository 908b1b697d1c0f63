// Scales recipes to the number of guests.
#include <iostream>
#include <map>
#include <string>
#include <vector>

using Amounts = std::map<std::string, double>;

struct Recipe {
    std::string name;
    int serves;
    Amounts grams;
};

static double amount(const Recipe &recipe, const std::string &ingredient, int guests) {
    return recipe.grams.at(ingredient) * guests / recipe.serves;
}

int main() {
    std::vector<Recipe> recipes = {
        {"soup", 4, {{"carrots", 500}, {"lentils", 250}}},
        {"bread", 8, {{"flour", 1000}, {"salt", 20}}},
    };
    std::vector<std::string> shopping = {"carrots", "lentils", "flour", "Salt"};
    for (const auto &ingredient : shopping) {
        const Recipe &recipe = ingredient == "flour" || ingredient == "Salt" ? recipes[1] : recipes[0];
        std::cout << ingredient << ": " << amount(recipe, ingredient, 20) << " g\n";
    }
}
