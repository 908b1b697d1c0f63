"""Hostile expressions, first half: what the language lets an object, a name or an iterator do when it is looked at.

Each is a tuple (expression, what it would do if nothing contained it); `debuggee.py prove` shows that it would.
The second half, what reaches the system, stands in hostile_system.py.
"""

from __future__ import annotations

from tests.safety.cases import Group, hostile
from tests.safety.hostile_system import SYSTEM

_PROPERTIES = """
import functools
class Account:
    def __init__(self):
        self.balance = 100
    @property
    def total(self):
        self.balance -= 1
        return self.balance
    @functools.cached_property
    def kept(self):
        return hit('kept')
    def withdraw(self, amount):
        self.balance -= amount
        return self.balance
class Savings(Account):
    pass
class Slotted:
    __slots__ = ('x',)
    y = property(lambda self: hit('y'))
account, savings, slotted = Account(), Savings(), Slotted()
"""
_TEXTS = """
class Noisy:
    def __repr__(self): return hit('repr', 'noisy')
    def __str__(self): return hit('str', 'noisy')
    def __format__(self, spec): return hit('format', 'noisy')
    def __bytes__(self): return hit('bytes', b'noisy')
    def __fspath__(self): return hit('fspath', 'noisy')
class Word(str):
    def __str__(self): return hit('word', 'w')
    def __format__(self, spec): return hit('word format', 'w')
    def upper(self): return hit('upper', 'W')
noisy, word, width = Noisy(), Word('word'), Noisy()
"""
_ATTRIBUTES = """
import types
class Dynamic:
    def __getattr__(self, name): return hit(name, self)
    def __getitem__(self, key): return hit('item')
class Strict:
    x = 1
    def __getattribute__(self, name): return hit(name)
class Lazy(types.ModuleType):
    def __getattr__(self, name): return hit(name)
dynamic, strict, lazy_module = Dynamic(), Strict(), Lazy('lazy_module')
plain_module = types.ModuleType('plain_module')
plain_module.__getattr__ = hit
"""
_EQUAL = """
class Equal:
    def __eq__(self, other): return hit('eq', True)
    def __ne__(self, other): return hit('ne', True)
    def __lt__(self, other): return hit('lt', True)
    def __gt__(self, other): return hit('gt', True)
    def __hash__(self): return hit('hash', 1)
    def __bool__(self): return hit('bool', True)
    def __contains__(self, x): return hit('contains', True)
class Key(str):
    def __eq__(self, other): return hit('key eq', True)
    def __hash__(self): return hash('b')
equal, other_equal, by_key = Equal(), Equal(), {Key('b'): 1}
"""
_INDEX = """
import math
class Index:
    def __index__(self): return hit('index', 1)
    def __int__(self): return hit('int', 1)
    def __float__(self): return hit('float', 1.0)
    def __len__(self): return hit('len', 1)
    def __add__(self, other): return hit('add', 1)
    def __radd__(self, other): return hit('radd', 1)
    def __rmul__(self, other): return hit('rmul', 1)
    def __neg__(self): return hit('neg', 1)
    def __abs__(self): return hit('abs', 1)
    def __round__(self, digits=0): return hit('round', 1)
    def __iter__(self): return hit('iter', iter([1]))
    def __divmod__(self, other): return hit('divmod', (0, 1))
    def __reversed__(self): return hit('reversed', iter([1]))
    def __floor__(self): return hit('floor', 1)
class Celsius(float):
    def __add__(self, other): return hit('celsius', 1.0)
index, celsius = Index(), Celsius(20.0)
"""
_DESCRIPTORS = """
class Field:
    def __get__(self, instance, owner): return hit('get')
    def __set__(self, instance, value): hit('set')
class Late:
    def __get__(self, instance, owner): return hit('late')
class Described:
    field, late = Field(), Late()
class Inherited(Described):
    pass
class Wrapped:
    made = classmethod(lambda cls: hit('made'))
    helped = staticmethod(lambda: hit('helped'))
described, inherited, wrapped = Described(), Inherited(), Wrapped()
"""
_METACLASSES = """
class Meta(type):
    def __call__(cls, *words): return hit('meta call')
    def __instancecheck__(cls, x): return hit('instancecheck', True)
    def __subclasscheck__(cls, x): return hit('subclasscheck', True)
    def __getattr__(cls, name): return hit('meta getattr')
    def __iter__(cls): return hit('meta iter', iter([1]))
    def __len__(cls): return hit('meta len')
    def __contains__(cls, x): return hit('meta contains', True)
    def __getitem__(cls, key): return hit('meta item')
    def __eq__(cls, other): return hit('meta eq', True)
    def __hash__(cls): return 1
    def __repr__(cls): return hit('meta repr', 'Special')
    def __bool__(cls): return hit('meta bool', True)
    total = property(lambda cls: hit('meta total'))
class Special(metaclass=Meta):
    pass
class Keeps(type(account)):
    def __class_getitem__(cls, key): return hit('class item')
"""
_PROXIES = """
import operator, weakref, collections
class Proxy:
    def __getattribute__(self, name): return hit('proxied', getattr(account, name, 1))
    __class__ = property(lambda self: hit('class', int))
    def __add__(self, other): return hit('proxy add')
    def __len__(self): return hit('proxy len')
class Mapping(collections.UserDict):
    def __missing__(self, key): return hit('missing')
class Counting(dict):
    def __missing__(self, key): return hit('counting')
    def __getitem__(self, key): return hit('getitem')
    def get(self, key, default=None): return hit('get')
proxied, weak, mapping, counting = Proxy(), weakref.proxy(account), Mapping(a=1), Counting(a=1)
total_of, withdraws = operator.attrgetter('total'), operator.methodcaller('withdraw', 1)
grows = collections.defaultdict(list)
"""
_ITERATORS = """
import csv, io, itertools
def squares():
    for number in range(9):
        hits_of_squares.append(number)
        yield number
hits_of_squares = []
generator, texts = squares(), (text for text in ['a', 'b'])
base = iter([1, 2, 3]); mapped = map(int, iter(['1', '2'])); filtered = filter(None, iter([1, 0, 2]))
zipped, counted = zip(iter('ab'), iter([1, 2])), enumerate(iter('ab'))
flat, backwards, calls = itertools.chain(iter([1]), iter([2])), reversed([1, 2]), iter(lambda: hit('called'), 5)
rows_text = io.StringIO('a,b\\nc,d\\n'); rows = csv.reader(rows_text)
lines = io.StringIO('one\\ntwo\\n')
count = itertools.count()
"""
_CALLABLES = """
import functools, re, json
numbers, strings, config = [3, 1, 2], ['b', 'a'], {'a': 1, 'b': [1]}
def hitter(*words): return hit('hitter', 1)
bound, partial = account.withdraw, functools.partial(hitter, 1)
"""
_ALIASES = """
import types, subprocess, builtins
touch = 'touch ' + folder + '/touched'
size = oct = os.system
bin = eval
class Space:
    len = staticmethod(os.system)
fake_math = types.ModuleType('math'); fake_math.sqrt = os.system
tools = {'run': os.system}
math.lgamma = os.system
"""
_MUTATORS = """
import bisect, heapq, random, collections, array
queue, chosen, buffer, cells = collections.deque([1, 2]), {1, 2}, bytearray(b'abc'), array.array('i', [1, 2])
tally, ordered = collections.Counter('aab'), collections.OrderedDict(a=1, b=2)
rng = random.Random(5)
"""
_FORMATS = """
import string
class Lookup:
    def __getitem__(self, key): return hit('lookup')
lookup, template = Lookup(), string.Template('$x')
"""

LANGUAGE: list[Group] = [
    hostile("properties", _PROPERTIES, changes=[
        ("account.total", "withdraws 1"),
        ("account.total + 1", "withdraws 1"),
        ("savings.total", "withdraws 1 through an inherited property"),
        ("account.kept", "stores a computed value in the object"),
        ("slotted.y", "runs a property of a class with slots"),
        ("[a.total for a in [account, savings]]", "withdraws from both"),
        ("{'t': account.total}['t']", "withdraws 1"),
        ("account.total if account.balance else 0", "withdraws 1"),
        ("getattr(account, 'total')", "withdraws 1"),
        ("hasattr(account, 'total')", "withdraws 1"),
        ("account.withdraw(50)", "withdraws 50"),
        ("Account.withdraw(account, 5)", "withdraws 5"),
        ("Account.total.fget(account)", "withdraws 1"),
        ("setattr(account, 'balance', 0)", "empties the account"),
        ("account.__dict__.update(balance=0)", "empties the account"),
        ("vars(account).clear()", "removes all attributes"),
    ]),
    hostile("repr and str", _TEXTS, changes=[
        ("repr(noisy)", "runs __repr__"), ("str(noisy)", "runs __str__"), ("f'{noisy}'", "runs __format__"),
        ("f'{noisy!r}'", "runs __repr__"), ("f'{1:{width}}'", "runs __format__ of the width"),
        ("'%s' % noisy", "runs __str__"), ("'%r' % (noisy,)", "runs __repr__"), ("str([noisy])", "runs __repr__"),
        ("repr({'a': (noisy,)})", "runs __repr__"), ("ascii(noisy)", "runs __repr__"), ("bytes(noisy)", "runs __bytes__"),
        ("format(noisy, '')", "runs __format__"), ("print(noisy)", "runs __str__ and prints"),
        ("word.upper()", "runs a method that a subclass of str replaces"), ("f'{word}'", "runs __format__"),
        ("str(word)", "runs __str__"), ("os.fspath(noisy)", "runs __fspath__"), ("'{}'.format(noisy)", "runs __format__"),
    ]),
    hostile("getattr", _ATTRIBUTES, changes=[
        ("dynamic.anything", "runs __getattr__"), ("dynamic.a.b.c", "runs __getattr__ three times"),
        ("strict.x", "runs __getattribute__"), ("hasattr(dynamic, 'y')", "runs __getattr__"),
        ("getattr(strict, 'x', 0)", "runs __getattribute__"), ("dynamic['k']", "runs __getitem__"),
        ("[x for x in dynamic][:0] if 0 else dynamic[0]", "runs __getitem__"),
        ("lazy_module.thing", "runs __getattr__ of a module"), ("plain_module.thing", "runs a module's __getattr__"),
        ("map(dynamic.f, [1])", "runs __getattr__"), ("dynamic.shape", "runs __getattr__, as array code asks for it"),
    ]),
    hostile("eq, order and hash", _EQUAL, changes=[
        ("equal == 1", "runs __eq__"), ("1 == equal", "runs __eq__"), ("equal != 1", "runs __ne__"),
        ("equal < other_equal", "runs __lt__"), ("equal in [1]", "runs __eq__"), ("1 in [equal]", "runs __eq__"),
        ("1 in equal", "runs __contains__"), ("[1, 2].index(equal)", "runs __eq__"), ("[equal].count(1)", "runs __eq__"),
        ("{1: 2}[equal]", "runs __hash__ and __eq__"), ("{1: 2}.get(equal)", "runs __hash__"), ("{equal}", "runs __hash__"),
        ("{equal: 1}", "runs __hash__"), ("set([equal])", "runs __hash__"), ("sorted([equal, other_equal])", "runs __lt__"),
        ("max(equal, other_equal)", "runs __gt__"), ("[equal] == [1]", "runs __eq__"), ("(1, equal) < (1, 2)", "runs __eq__"),
        ("by_key['b']", "runs __eq__ of a key"), ("'b' in by_key", "runs __eq__ of a key"), ("by_key.get('b')", "the same"),
        ("not equal", "runs __bool__"), ("equal and 1", "runs __bool__"), ("1 if equal else 2", "runs __bool__"),
        ("all([equal])", "runs __bool__"), ("[x for x in [1] if equal]", "runs __bool__"), ("hash(equal)", "runs __hash__"),
    ]),
    hostile("index and numbers", _INDEX, changes=[
        ("[1, 2, 3][index]", "runs __index__"), ("'abc'[index:]", "runs __index__"), ("range(index)", "runs __index__"),
        ("index + 1", "runs __add__"), ("1 + index", "runs __radd__"), ("'x' * index", "runs __rmul__"),
        ("-index", "runs __neg__"), ("abs(index)", "runs __abs__"), ("round(index)", "runs __round__"),
        ("round(1.234, index)", "runs __index__"), ("int(index)", "runs __int__"), ("float(index)", "runs __float__"),
        ("math.sqrt(index)", "runs __float__"), ("math.floor(index)", "runs __floor__"), ("hex(index)", "runs __index__"),
        ("chr(index)", "runs __index__"), ("divmod(index, 2)", "runs __divmod__"), ("sum([index])", "runs __radd__"),
        ("len(index)", "runs __len__"), ("bool(index)", "runs __len__"), ("list(index)", "runs __iter__"),
        ("[*index]", "runs __iter__"), ("reversed(index)", "runs __reversed__"), ("celsius + 1", "runs a subclass's __add__"),
        ("'abc'.center(index)", "runs __index__"), ("[0] * index", "runs __index__"), ("'%d' % index", "runs __int__"),
        ("sum([1], index)", "runs __radd__"), ("math.fsum([index])", "runs __float__"), ("max(*index)", "runs __iter__"),
    ]),
    hostile("descriptors", _DESCRIPTORS, changes=[
        ("described.field", "runs __get__"), ("described.late", "runs __get__"), ("Described.field", "runs __get__"),
        ("inherited.late", "runs an inherited __get__"), ("wrapped.made()", "runs a class method"),
        ("wrapped.helped()", "runs a static method"), ("Wrapped.made()", "runs a class method"),
        ("setattr(described, 'field', 1)", "runs __set__"), ("object.__getattribute__(described, 'field')", "runs __get__"),
    ]),
    hostile("metaclasses", _METACLASSES, changes=[
        ("Special()", "runs __call__ of the metaclass"), ("isinstance(1, Special)", "runs __instancecheck__"),
        ("isinstance(1, (str, Special))", "runs __instancecheck__"), ("issubclass(int, Special)", "runs __subclasscheck__"),
        ("Special.missing", "runs __getattr__ of the metaclass"), ("list(Special)", "runs its __iter__"),
        ("len(Special)", "runs its __len__"), ("1 in Special", "runs its __contains__"), ("Special['x']", "runs its __getitem__"),
        ("Special == 1", "runs its __eq__"), ("repr(Special)", "runs its __repr__"), ("not Special", "runs its __bool__"),
        ("Special.total", "runs a property of the metaclass"), ("Keeps[int]", "runs __class_getitem__"),
    ]),
    hostile("lazy proxies", _PROXIES, changes=[
        ("proxied.balance", "runs __getattribute__"), ("isinstance(proxied, int)", "runs a property named __class__"),
        ("proxied + 1", "runs __add__"), ("len(proxied)", "runs __len__"), ("weak.total", "withdraws 1"),
        ("total_of(account)", "withdraws 1"), ("withdraws(account)", "withdraws 1"), ("mapping['b']", "runs __missing__"),
        ("counting['a']", "runs __getitem__"), ("counting['b']", "runs __getitem__"), ("counting.get('a')", "runs get"),
        ("grows['new']", "inserts a key"), ("type(account)(), account.total", "makes an object, withdraws 1"),
    ]),
    hostile("iterators", _ITERATORS, changes=[
        ("list(generator)", "uses it up"), ("sum(generator)", "uses it up"), ("next(generator)", "advances it"),
        ("max(generator)", "uses it up"), ("3 in generator", "advances it"), ("sorted(generator)", "uses it up"),
        ("[x for x in mapped]", "uses it up"), ("dict(zipped)", "uses it up"), ("tuple(filtered)", "uses it up"),
        ("set(base)", "uses it up"), ("any(generator)", "advances it"), ("[*base]", "uses it up"), ("next(base, 0)", "advances it"),
        ("list(enumerate(base))", "uses it up"), ("list(zip(base, [1]))", "advances it"), ("''.join(texts)", "uses it up"),
        ("list(counted)", "uses it up"), ("list(flat)", "uses it up"), ("list(backwards)", "uses it up"), ("max(*base)", "uses it up"),
        ("next(calls)", "calls the program"), ("list(rows)", "reads to the end"), ("lines.readline()", "moves the position"),
        ("[line for line in lines]", "reads to the end"), ("next(count)", "advances it"), ("generator.send(None)", "advances it"),
        ("generator.close()", "ends it"), ("base.__next__()", "advances it"), ("2 in base", "advances it"),
        ("[a for a, in zip(base)]", "uses it up"), ("lines.seek(3)", "moves the position"), ("base.__setstate__(2)", "moves it"),
    ]),
    hostile("callables passed to functions", _CALLABLES, changes=[
        ("sorted(numbers, key=hitter)", "runs the function"), ("max(numbers, key=hitter)", "runs the function"),
        ("min(numbers, key=account.withdraw)", "withdraws"), ("list(map(hitter, numbers))", "runs the function"),
        ("list(map(bound, numbers))", "withdraws"), ("list(filter(hitter, numbers))", "runs the function"),
        ("functools.reduce(hitter, numbers)", "runs the function"), ("next(iter(hitter, 5))", "runs the function"),
        ("re.sub('a', hitter, 'a')", "runs the function"), ("numbers.sort(key=hitter)", "runs it and sorts the list"),
        ("partial()", "runs the function"), ("json.dumps(noisy, default=hitter)", "runs the function"),
        ("sum(map(hitter, numbers))", "runs the function"), ("any(map(partial, numbers))", "runs the function"),
        ("[f(1) for f in [hitter]]", "runs the function"), ("sorted([noisy, noisy], key=str)", "runs __str__"),
        ("list(map(equal.__eq__, [1]))", "runs __eq__"), ("list(map(getattr, [account], ['total']))", "withdraws"),
        ("list(map(str, [noisy]))", "runs __str__"), ("list(map(next, [iter(numbers), base]))", "advances an iterator"),
        ("max([noisy], key=repr)", "runs __repr__"), ("list(map(numbers.append, [1]))", "grows the list"),
        ("list(filter(account.withdraw, [1]))", "withdraws"), ("list(map(list.pop, [numbers]))", "shrinks the list"),
    ]),
    hostile("aliases", _ALIASES, changes=[
        ("size(touch)", "starts a program"), ("oct(touch)", "starts a program under a builtin's name"),
        ("bin('account.total')", "evaluates text"), ("Space.len(touch)", "starts a program"), ("tools['run'](touch)", "starts a program"), ("math.lgamma(touch)", "starts a program under the name of a function of math"),
        ("fake_math.sqrt(touch)", "starts a program"), ("[os.system][0](touch)", "starts a program"),
        ("(os.system if 1 else len)(touch)", "starts a program"), ("getattr(os, 'sys' + 'tem')(touch)", "starts a program"),
        ("vars(os)['system'](touch)", "starts a program"), ("os.__dict__['system'](touch)", "starts a program"),
        ("str(os.system(touch))", "starts a program inside an allowed call"), ("len([os.system(touch)])", "the same"),
        ("eval('account.total')", "evaluates text"), ("exec('account.balance = 0')", "executes text"),
        ("__import__('os').system(touch)", "starts a program"), ("(lambda: account.total)()", "withdraws 1"),
        ("globals().update(stolen=1)", "binds a name"), ("[stolen := 1]", "binds a name"),
        ("setattr(builtins, 'stolen', hit('builtins'))", "binds a builtin name"), ("compile('hit(1)', '', 'eval') and hit(1)", "runs hit"),
        ("().__class__.__base__.__subclasses__() and account.total", "withdraws 1"), ("os.popen(touch).read()", "starts a program"),
        ("type('Made', (), {'__init__': lambda self: hit('made')})()", "runs code of a new class"),
    ]),
    hostile("methods that change", _MUTATORS, changes=[
        ("numbers.append(1)", "grows the list"), ("numbers.sort()", "sorts the list"), ("numbers.pop()", "shrinks the list"),
        ("list.append(numbers, 1)", "grows the list"), ("config.pop('a')", "removes a key"), ("config.setdefault('z', 1)", "adds a key"),
        ("config['b'].append(2)", "changes a nested list"), ("config.update(z=2)", "adds a key"), ("chosen.add(7)", "grows the set"),
        ("chosen.clear()", "empties the set"), ("buffer.extend(b'x')", "grows the buffer"), ("queue.popleft()", "shrinks the queue"),
        ("queue.rotate(1)", "turns the queue"), ("tally.update('a')", "counts"), ("ordered.move_to_end('a')", "changes the order"),
        ("cells.append(9)", "grows the array"), ("numbers.__iadd__([1])", "grows the list"), ("operator.setitem(config, 'a', 2)", "sets a key"),
        ("operator.iadd(numbers, [1])", "grows the list"), ("heapq.heappush(numbers, 0)", "grows the list"),
        ("bisect.insort(numbers, 2)", "grows the list"), ("random.random()", "advances the generator of random numbers"),
        ("random.shuffle(numbers) or rng.random()", "shuffles"), ("random.seed(1)", "sets the random state"), ("rng.random()", "advances rng"),
        ("dict.__setitem__(config, 'q', 1)", "adds a key"), ("rng.choice([1, 2])", "advances rng"),
    ]),
    hostile("format attribute access", _FORMATS, changes=[
        ("'{0.total}'.format(account)", "withdraws 1"), ("'{a.total}'.format_map({'a': account})", "withdraws 1"),
        ("'%(x)s' % lookup", "runs __getitem__"), ("'{0[x]}'.format(lookup)", "runs __getitem__"), ("template.substitute(lookup)", "the same"),
        ("'{:{}}'.format(1, width)", "runs __format__"), ("f'{1:{account.total}}'", "withdraws 1"), ("'{!r}'.format(noisy)", "runs __repr__"),
        ("'%*d' % (index, 1) if 0 else '%x' % index", "runs __index__"), ("'{0.kept.real}'.format(savings)", "stores a value"),
        ("str.format('{0.total}', account)", "withdraws 1"), ("list(map('{0.total}'.format, [account]))", "withdraws 1"),
    ]),
]  # fmt: skip

HOSTILE: list[Group] = [*LANGUAGE, *SYSTEM]
"""In this order: a set-up may use the names of those before it."""
