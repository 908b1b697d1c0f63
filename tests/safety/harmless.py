"""Harmless expressions, as somebody asks them who looks for a bug: each must be answered, and with the real value."""

from __future__ import annotations

from tests.safety.cases import Group, harmless

_NUMBERS = """
import math
count, rate, price, word, raw, nothing, flag = 7, 0.25, 19.99, 'prices', b'raw\\xc3\\xa4', None, True
text = '  Alpha,beta,,Gamma  '
"""
_CONTAINERS = """
import collections
scores, names, pairs = [3, 1, 2, 5], ['ann', 'bob', 'cy'], [('a', 1), ('b', 2)]
order = {'id': 7, 'items': [{'sku': 'x1', 'n': 2, 'price': 2.5}, {'sku': 'x2', 'n': 1, 'price': 4.0}], 'customer': None}
seen, empty, recent = {1, 2, 3}, [], collections.deque([1, 2, 3], maxlen=5)
stock, votes = collections.defaultdict(int, tea=3), collections.Counter('abca')
Point = collections.namedtuple('Point', 'x y'); point = Point(1, 2)
matrix = [[1, 2], [3, 4]]
"""
_OBJECTS = """
import dataclasses, enum
class Colour(enum.Enum):
    RED, BLUE = 1, 2
@dataclasses.dataclass
class Item:
    name: str
    cents: int
    tags: list = dataclasses.field(default_factory=list)
class Basket:
    limit = 5
    def __init__(self):
        self.items, self.owner = [Item('tea', 250), Item('milk', 99, ['cold'])], None
    @property
    def cost(self):
        return sum(item.cents for item in self.items)
    def most(self):
        return max(self.items, key=lambda item: item.cents)
class Vector:
    __slots__ = ('x', 'y')
    def __init__(self, x, y): self.x, self.y = x, y
    def __eq__(self, other): return (self.x, self.y) == (other.x, other.y)
    __hash__ = None
basket, vector, colour = Basket(), Vector(3, 4), Colour.RED
def mean(values): return sum(values) / len(values)
failure = KeyError('tea')
"""
_DATES = """
import datetime, decimal, fractions, pathlib, json, re, uuid, random, threading, operator, functools
day, moment = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 30)
amount, third = decimal.Decimal('12.50'), fractions.Fraction(1, 3)
path = pathlib.PurePosixPath('/srv/data/report.csv')
lock, worker_names = threading.Lock(), ['MainThread', 'resting']
"""
_ARRAYS = """
import numpy as np
samples, table = np.array([1.0, 2.0, 4.0, np.nan]), np.arange(6.0).reshape(2, 3)
square, mask = np.ones((8, 8)), np.array([True, False, True, False])
"""
_FRAMES = """
import pandas as pd
sales = pd.DataFrame({'day': [1, 2, 3], 'total': [1.5, 2.5, 3.5]})
"""

HARMLESS: list[Group] = [
    harmless("numbers and texts", _NUMBERS, r"""
        count + 1
        count * rate - price
        count // 2, count % 2
        -count ** 2
        1 < count < 9 and flag
        round(price * rate, 2)
        abs(-price)
        divmod(count, 3)
        math.sqrt(count) + math.pi
        math.isclose(0.1 + 0.2, 0.3)
        math.floor(price)
        count.bit_length()
        hex(255) + bin(5)
        int('42') + int('ff', 16)
        float('1e3')
        str(price)
        nothing is None
        price == 19.99
        word.upper()
        word[1:-1] + word[::-1]
        len(word)
        text.strip().split(',')
        [part.strip().lower() for part in text.split(',') if part]
        ', '.join(['a', 'b'])
        word.startswith('pr') or word.endswith(('x', 's'))
        'ice' in word
        word.replace('p', 'P').find('s')
        f'{word}: {price:.1f} ({count!r:>4})'
        '%s has %d' % (word, count)
        '{} costs {:.2f}'.format(word, price)
        raw.decode('utf-8')
        ord('a') + len(chr(228))
        list(map(int, '1 2 3'.split()))
        isinstance(price, (int, float))
        type(price)
        hash(word) == hash('prices')
        callable(len)
        bool(text) and not nothing
        """),
    harmless("containers", _CONTAINERS, """
        len(scores), len(order['items'])
        scores[0], scores[-1], scores[1:3]
        sum(scores) / len(scores)
        min(scores), max(scores, default=0)
        sorted(scores)
        sorted(scores, reverse=True)[:2]
        sorted(names, key=len)
        max(names, key=len)
        sorted(order['items'][0].items())
        list(reversed(names))
        [i for i, x in enumerate(scores) if x > 2]
        {name: len(name) for name in names}
        {x % 2 for x in scores}
        sum(item['n'] * item['price'] for item in order['items'])
        [item['sku'] for item in order['items'] if item['price'] > 3]
        any(x > 4 for x in scores) and all(scores)
        order.get('customer') is None
        order.get('missing', 'none')
        list(order.keys())
        'id' in order
        'nope' not in order
        dict(pairs)['b']
        list(zip(names, scores))
        scores.index(5), scores.count(1)
        seen & {2, 9}
        seen.union([9])
        len(seen | {10})
        recent[0], recent.maxlen
        stock['tea'], 'milk' in stock
        votes['a'], votes['zzz']
        point.x + point[1]
        [cell for row in matrix for cell in row]
        list(zip(*matrix))
        matrix[1][0] == order['items'][0]['n'] + 1
        not empty
        scores + [1] == [3, 1, 2, 5, 1]
        [*scores, *names]
        tuple(filter(None, [0, 1, 2]))
        list(map(str, scores))
        list(map(str.upper, names))
        """),
    harmless("objects", _OBJECTS, """
        basket.owner is None
        basket.limit
        [item.cents for item in basket.items]
        sum(item.cents for item in basket.items)
        basket.items[1].tags[0]
        len(basket.items) < basket.limit
        max(item.cents for item in basket.items if item.name != 'x')
        isinstance(basket, Basket)
        type(basket) is Basket
        colour.name, colour.value
        colour is Colour.RED
        vector.x ** 2 + vector.y ** 2
        getattr(basket, 'owner')
        hasattr(basket, 'missing')
        getattr(basket, 'missing', 0)
        failure.args[0]
        Basket.limit + 1
        issubclass(bool, int)
        basket.cost
        mean([1, 2, 3])
        vector == Vector(3, 4)
        """),
    harmless("library", _DATES, """
        day.year, day.weekday()
        (datetime.date(2024, 3, 1) - day).days
        moment.isoformat()
        moment > datetime.datetime(2024, 1, 1)
        day + datetime.timedelta(days=1)
        str(day)
        amount > 10
        third.numerator
        os.getpid()
        threading.get_ident() == threading.get_ident()
        lock.locked()
        random.getstate()[1][0]
        path.name
        os.sep + os.curdir
        len(sys.argv)
        """),
    harmless("arrays", _ARRAYS, """
        samples.shape, samples.dtype
        len(samples), samples.size
        samples[0], samples[:2]
        samples[~np.isnan(samples)].mean()
        np.isnan(samples).any()
        table.sum(axis=0)
        table.mean()
        table[1, 2], table[:, 0]
        (table > 2).sum()
        table.T.shape
        samples[mask]
        (square @ square)[0, 0]
        table.max() - table.min()
        samples.tolist()[:2]
        np.sqrt(table)[1]
        table.argmax()
        """, ("numpy",)),
    harmless("frames of data", _FRAMES, """
        sales.shape
        len(sales)
        """, ("pandas",)),
]  # fmt: skip
