"""Größen, 名前 und 🐍: Namen, Texte und Kommentare außerhalb von ASCII."""


def flächeninhalt(größe, 名前):
    text = "ein „Käse“ 🧀 für " + 名前  # eine Zeile, deren Spalten in Zeichen und Bytes verschieden sind: ß 🐍
    return größe["länge"] * größe["breite"], text  # @bp


print("Fläche", flächeninhalt({"länge": 3}, "太郎"), flush=True)
