"""Tables of text."""

from cells import aligned, grouped, money, percent, shortened, wrapped


class Column:
    def __init__(self, title, show=str, align="left", width=None):
        self.title = title
        self.show = show
        self.align = align
        self.width = width

    def text(self, value):
        shown = "-" if value is None else self.show(value)
        if self.width is not None:
            shown = shortened(shown, self.width)
        return shown


class Table:
    def __init__(self, *columns):
        self.columns = columns
        self.rows = []

    def add(self, *values):
        if len(values) != len(self.columns):
            raise ValueError(f"{len(values)} values for {len(self.columns)} columns")
        self.rows.append(values)

    def texts(self):
        return [[column.text(value) for column, value in zip(self.columns, row)] for row in self.rows]

    def widths(self):
        found = [len(column.title) for column in self.columns]
        for row in self.texts():
            found = [max(width, len(text)) for width, text in zip(found, row)]
        return found

    def render(self):
        widths = self.widths()
        lines = [self.line([column.title for column in self.columns], widths)]
        lines.append("-+-".join("-" * width for width in widths))
        for row in self.texts():
            lines.append(self.line(row, widths))
        return "\n".join(line.rstrip() for line in lines)

    def line(self, texts, widths):
        cells = [aligned(text, width, column.align) for text, width, column in zip(texts, widths, self.columns)]
        return " | ".join(cells)

    def sorted_by(self, title, descending=False):
        index = [column.title for column in self.columns].index(title)
        result = Table(*self.columns)
        result.rows = sorted(self.rows, key=lambda row: row[index], reverse=descending)
        return result

    def total(self, title):
        index = [column.title for column in self.columns].index(title)
        return sum(row[index] for row in self.rows if row[index] is not None)


def shares(table, title):
    whole = table.total(title)
    result = Table(Column("name"), Column("share", percent, "right"))
    for row in table.rows:
        amount = dict(zip([column.title for column in table.columns], row))[title]
        result.add(row[0], amount / whole)
    return result


def boxed(text, width):
    lines = wrapped(text, width)
    inner = max(len(line) for line in lines)
    edge = "+" + "-" * (inner + 2) + "+"
    return "\n".join([edge, *(f"| {line.ljust(inner)} |" for line in lines), edge])


def inhabitants():
    return Column("inhabitants", grouped, "right")


def amount(title):
    return Column(title, money, "right")
