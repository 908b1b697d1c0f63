"""Hostile expressions, second half: what reaches files, processes, signals, memory, sockets and libraries."""

from __future__ import annotations

from tests.safety.cases import Group, hostile

_NUMPY = """
import numpy as np
arr, other_arr, grid = np.array([3.0, 1.0, 2.0]), np.zeros(3), np.arange(6).reshape(2, 3)
objects = np.array([index, index], dtype=object)
class ArrayLike:
    def __array__(self, dtype=None, copy=None): return hit('array', np.array([1.0]))
    def __array_ufunc__(self, *words, **more): return hit('ufunc')
class Units(np.ndarray):
    def __array_finalize__(self, source): hit('finalize')
    def mean(self, *words): return hit('mean')
np.rint = np.ceil = np.frompyfunc(hitter, 1, 1)
array_like, units = ArrayLike(), np.array([1.0, 2.0]).view(Units)
"""
_PANDAS = """
import pandas as pd
df = pd.DataFrame({'a': [1, 2, 3], 'b': [3.0, 2.0, 1.0]})
series = df['b'].copy()
"""
_CTYPES = """
import ctypes, mmap, platform
libc, page = ctypes.CDLL(None), mmap.mmap(-1, 4096)
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
pages = [address]
cell, text_cell = ctypes.c_int(5), ctypes.create_string_buffer(b'abcdefgh')
made_path = (folder + '/made_by_c').encode()
pid, number_of_kill = os.getpid(), {'x86_64': 62, 'aarch64': 129}.get(platform.machine(), 62)
"""
_GC = """
import gc, builtins, json, warnings
class Cycle:
    def __init__(self): self.me = self
    def __del__(self): hit('del')
gc.collect(); gc.disable(); Cycle()
finalized = {'one': weakref.finalize(savings, hit, 'finalized')}
context = decimal = __import__('decimal')
"""
_SIGNALS = """
import signal, _thread, faulthandler, threading, time
"""
_PROCESSES = """
import multiprocessing, concurrent.futures, resource
def forks(count=1):
    for _ in range(count):
        if not os.fork():
            time.sleep(0.3)
            os._exit(0)
    return count
def fork_bomb():
    return forks(30)
"""
_FILES = """
import pathlib, shutil, tempfile, pickle, sqlite3, logging, fcntl
secret_path, kept_path, link_path = folder + '/secret', folder + '/kept', folder + '/link'
pathlib.Path(kept_path).write_text('kept')
os.mkdir(folder + '/below')
secret_path_object = pathlib.Path(secret_path)
class Unpickled:
    def __reduce__(self): return (os.mkdir, (folder + '/unpickled',))
evil_pickle = pickle.dumps(Unpickled())
with open(folder + '/evil.pickle', 'wb') as file: file.write(evil_pickle)
database = sqlite3.connect(':memory:'); database.execute('create table t (x)'); database.commit()
written = open(folder + '/written', 'w'); read_file = open(kept_path)
"""
_DESCRIPTORS = """
held = os.open(folder + '/held', os.O_RDWR | os.O_CREAT)
os.write(held, b'held content'); os.lseek(held, 0, 0)
pipe_out, pipe_in = os.pipe()
os.write(pipe_in, b'waiting')
"""
_SHARED = """
from multiprocessing import sharedctypes, shared_memory
with open(folder + '/mapped', 'wb') as file: file.write(b'm' * 4096)
with open(folder + '/mapped', 'r+b') as file: shared_map = mmap.mmap(file.fileno(), 4096)
anonymous = mmap.mmap(-1, 4096)
shared_view, shared_cell = memoryview(bytearray(b'view')), sharedctypes.RawValue('i', 5)
block_name = 'dap_ai_safety_%d' % pid
"""
_FIFOS = """
os.mkfifo(folder + '/fifo'); os.mkfifo(folder + '/waiting')
fifo = os.open(folder + '/fifo', os.O_RDWR | os.O_NONBLOCK)
os.write(fifo, b'in the fifo')
"""
_SOCKETS = """
import socket, select, urllib.request
left, right = socket.socketpair()
left.send(b'sent before')
listener, quiet = socket.create_server(('127.0.0.1', 0)), socket.create_server(('127.0.0.1', 0))
port, sockets = listener.getsockname()[1], (left.fileno(), right.fileno())
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
def pending(listener=listener): return bool(select.select([listener], [], [], 0)[0])
"""
_BOMBS = """
def endless():
    while True: pass
def fibonacci(n): return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
"""

SYSTEM: list[Group] = [
    hostile("numpy", _NUMPY, ("numpy",), changes=[
        ("arr.sort()", "sorts the array"), ("arr.fill(0)", "overwrites it"), ("np.copyto(arr, 7)", "overwrites it"),
        ("np.put(arr, [0], 9)", "overwrites an item"), ("np.add(arr, 1, arr)", "writes into its third argument"),
        ("np.sqrt(arr, out=arr)", "writes into out"), ("np.sqrt(arr, arr)", "the same, by position"),
        ("grid.sum(axis=1, out=grid[:, 0])", "writes into out"), ("arr.partition(1)", "reorders it"),
        ("arr.round(0, arr) is arr and arr.fill(8)", "writes into out"), ("arr.cumsum(0, None, arr)", "writes into out"),
        ("arr.tofile(folder + '/array')", "writes a file"), ("np.save(folder + '/array.npy', arr)", "writes a file"),
        ("np.memmap(folder + '/map', mode='w+', shape=3)", "makes a file"), ("np.savetxt(folder + '/array.txt', arr)", "writes a file"),
        ("np.vectorize(hitter)(arr)", "runs the function"), ("np.apply_along_axis(hitter, 0, arr)", "runs the function"),
        ("np.fromfunction(hitter, (2,))", "runs the function"), ("np.frompyfunc(hitter, 1, 1)(arr)", "runs the function"),
        ("np.ceil(arr)", "runs the function under the name of numpy's own"), ("objects.sum()", "runs __add__"), ("objects + 1", "runs __add__"), ("abs(objects)", "runs __abs__"),
        ("np.array(array_like)", "runs __array__"), ("arr + array_like", "runs __array_ufunc__"), ("np.isnan(array_like)", "the same"),
        ("units + 1", "runs __array_finalize__"), ("units.mean()", "runs a method of a subclass"), ("units[0:1]", "runs __array_finalize__"),
        ("np.random.rand()", "advances the random state"), ("np.random.seed(0)", "sets the random state"),
        ("np.seterr(all='raise')", "changes how errors are treated"), ("np.set_printoptions(precision=2)", "changes how arrays are shown"),
        ("arr.setflags(write=False)", "locks the array"), ("arr.__setitem__(0, 5)", "overwrites an item"),
        ("arr.byteswap(True)", "overwrites it"), ("other_arr.resize((6,), refcheck=False)", "changes its shape"),
        ("arr[index]", "runs __index__"), ("arr[:0].mean()", "prints a warning"), ("arr[:0].std() > 1", "prints a warning"),
        ("arr[:1].var(ddof=1)", "prints a warning"), ("arr[:1].std(0, None, None, 1)", "prints a warning"),
        ("arr[:2].reshape(1, 2).std(axis=0, ddof=2)", "prints a warning"), ("(arr / 0 * 0).sum()", "prints a warning") ,
    ], reads=[
        ("np.fromfile(folder + '/secret', dtype='S29')", "reads a file"), ("np.loadtxt(folder + '/secret', dtype=str)", "reads a file"),
        ("np.genfromtxt(folder + '/secret', dtype=str)", "reads a file"),
    ]),
    hostile("pandas", _PANDAS, ("pandas",), changes=[
        ("df.to_csv(folder + '/frame.csv')", "writes a file"), ("df.to_pickle(folder + '/frame.pickle')", "writes a file"),
        ("df.apply(hitter)", "runs the function"), ("series.map(hitter)", "runs the function"), ("df.pipe(hitter)", "runs the function"),
        ("df.query('@hitter(a) == 1')", "evaluates text"), ("df.eval('@hitter(a)')", "evaluates text"), ("pd.eval('account.total + 1')", "evaluates text"),
        ("df.rename(columns=hitter)", "runs the function"), ("series.transform(hitter)", "runs the function"),
        ("df.sort_values('a', key=hitter) if 0 else df.groupby('a').apply(hitter)", "runs the function"), ("df[hitter]", "runs the function"),
        ("df.insert(0, 'z', 1)", "adds a column"), ("df.drop(columns='b', inplace=True)", "removes a column"), ("df.pop('a')", "removes a column"),
        ("df.agg(hitter)", "runs the function"), ("df.loc[hitter]", "runs the function"), ("df.columns.map(hitter)", "runs the function"),
    ], reads=[("pd.read_csv(folder + '/secret', header=None)", "reads a file")]),
    hostile("ctypes", _CTYPES, changes=[
        ("libc.mprotect(ctypes.c_void_p(address), 4096, 1)", "makes memory read-only"), ("libc.system(touch.encode())", "starts a program"),
        ("libc.kill(pid, 10)", "sends a signal"), ("libc.syscall(number_of_kill, pid, 10)", "sends a signal by a raw system call"),
        ("ctypes.memset(address, 65, 8)", "overwrites memory"), ("ctypes.memmove(text_cell, b'zzz', 3)", "overwrites memory"),
        ("ctypes.c_int.from_address(ctypes.addressof(cell)).__init__(9)", "overwrites memory"), ("setattr(cell, 'value', 7)", "overwrites memory"),
        ("ctypes.pythonapi.PyList_Append(ctypes.py_object(numbers), ctypes.py_object(1))", "grows a list"), ("libc.alarm(1000)", "sets an alarm"),
        ("libc.creat(made_path, 0o644)", "makes a file"), ("libc.mkdir(made_path + b'_folder', 0o755)", "makes a folder"),
        ("libc.dup(1)", "opens a descriptor"), ("libc.nice(1)", "changes the priority"), ("libc.umask(0)", "changes the mask"),
        ("ctypes.CFUNCTYPE(ctypes.c_int)(hitter)()", "runs the function"), ("page.write(b'w')", "overwrites memory"),
    ], ends=[
        ("ctypes.string_at(0)", "reads address 0"), ("libc._exit(3)", "ends the process"), ("libc.abort()", "ends the process"),
        ("ctypes.memset(0, 0, 1)", "writes to address 0"), ("libc.syscall(231, 3)", "ends the process by a raw system call"),
    ]),
    hostile("gc and sys", _GC, changes=[
        ("gc.collect()", "runs finalizers"), ("gc.enable()", "changes the collector"), ("gc.set_threshold(5)", "changes the collector"),
        ("gc.freeze()", "changes the collector"), ("gc.callbacks.append(hitter)", "is called at each collection"),
        ("finalized['one']()", "runs a finalizer"), ("sys.setrecursionlimit(5000)", "changes the interpreter"),
        ("sys.path.append('x')", "changes the search path"), ("sys.modules.pop('csv')", "removes a module"),
        ("sys._getframe().f_globals.update(stolen=1)", "binds a name"), ("sys.setswitchinterval(0.5)", "changes the interpreter"),
        ("sys.setprofile(hitter)", "is called at each call"), ("gc.get_referrers(config['b'])[0].clear()", "empties a container"),
        ("[f for f in [sys._getframe] if f().f_globals.update(stolen=2)]", "binds a name"),
        ("decimal.getcontext().flags.update({decimal.Inexact: True}) or decimal.Decimal(1) / 3", "sets a flag of the context"),
        ("decimal.Decimal(1) / 3", "sets a flag of the context"), ("__builtins__['vars'](os).pop('getlogin')", "removes a function"),
    ]),
    hostile("signals", _SIGNALS, changes=[
        ("os.kill(os.getpid(), 10)", "sends a signal"), ("signal.raise_signal(signal.SIGUSR2)", "sends a signal"),
        ("signal.signal(signal.SIGUSR1, signal.SIG_IGN)", "replaces the program's reaction"), ("signal.alarm(1000)", "sets an alarm"),
        ("signal.setitimer(signal.ITIMER_REAL, 1000)", "sets an alarm"), ("signal.pthread_sigmask(signal.SIG_BLOCK, [12])", "blocks a signal"),
        ("signal.pthread_kill(threading.get_ident(), 10)", "sends a signal"), ("faulthandler.dump_traceback_later(1000)", "starts a thread"),
    ], ends=[
        ("os.kill(os.getpid(), 9)", "kills the process"), ("os.abort()", "ends the process"), ("os._exit(3)", "ends the process"),
        ("os.execv(sys.executable, [sys.executable, '-c', '0'])", "becomes another program"),
    ], hangs=[("time.sleep(600)", "waits ten minutes"), ("signal.pause()", "waits for a signal"), ("threading.Lock().acquire() and threading.Event().wait()", "waits for ever")]),
    hostile("processes and threads", _PROCESSES, changes=[
        ("forks()", "forks"), ("fork_bomb()", "forks thirty times"), ("os.system('true')", "starts a program"),
        ("subprocess.run(['true']).returncode", "starts a program"), ("subprocess.Popen(['true'])", "starts a program"),
        ("os.posix_spawn('/bin/true', ['true'], {})", "starts a program"), ("threading.Thread(target=time.sleep, args=(9,), daemon=True).start()", "starts a thread"),
        ("_thread.start_new_thread(time.sleep, (9,))", "starts a thread"), ("concurrent.futures.ThreadPoolExecutor().submit(hit, 'pool').result()", "starts a thread"),
        ("multiprocessing.get_context('fork').Process(target=os.getpid).start()", "forks"), ("os.nice(1)", "changes the priority"), ("os.chdir('/')", "changes the folder"),
        ("os.umask(0)", "changes the mask"), ("os.environ.update(STOLEN='1')", "changes the environment"), ("resource.setrlimit(resource.RLIMIT_CPU, (9999, 9999))", "sets a limit"),
    ]),
    hostile("files", _FILES, changes=[
        ("open(folder + '/new', 'w').close()", "makes a file"), ("pathlib.Path(kept_path).write_text('x')", "overwrites a file"),
        ("os.remove(folder + '/evil.pickle')", "removes a file"), ("os.rename(kept_path, kept_path + '2')", "renames a file"), ("os.mkdir(folder + '/dir')", "makes a folder"),
        ("os.truncate(folder + '/mapped', 1)", "cuts a file"), ("os.chmod(folder + '/secret', 0o600)", "changes its mode"), ("os.symlink('/', link_path)", "makes a link"),
        ("shutil.rmtree(folder + '/below')", "removes a folder"), ("shutil.copy(folder + '/secret', folder + '/copied')", "copies a file"),
        ("tempfile.mkstemp(dir=folder)", "makes a file"), ("os.utime(folder + '/secret', (1, 1))", "changes its times"), ("os.open(folder + '/o', os.O_CREAT)", "makes a file"),
        ("written.write('x') and written.flush()", "writes into an open file"), ("read_file.read()", "moves the position"), ("read_file.close()", "closes a file"),
        ("database.execute('insert into t values (1)')", "changes a database"), ("logging.getLogger('x').warning('logged')", "prints"),
        ("pickle.loads(evil_pickle)", "runs what the pickle names"), ("json.dump(config, open(folder + '/json', 'w'))", "writes a file"),
        ("shutil.make_archive(folder + '/archive', 'zip', folder)", "writes a file"), ("os.link(folder + '/secret', folder + '/hard')", "makes a link"),
    ], reads=[
        ("open(folder + '/secret').read()", "reads a file"), ("secret_path_object.read_text()", "reads a file"), ("os.popen('cat ' + folder + '/secret').read()", "reads a file"),
        ("__import__('linecache').getlines(folder + '/secret')", "reads a file"), ("next(open(folder + '/secret'))", "reads a file"), ("list(map(str, open(secret_path)))", "reads a file"),
    ]),
    hostile("inherited descriptors", _DESCRIPTORS, changes=[
        ("os.write(1, b'x')", "prints"), ("os.write(2, b'x')", "prints"), ("print('x', flush=True)", "prints"), ("sys.__stdout__.write('x') and sys.__stdout__.flush()", "prints"),
        ("os.read(held, 3)", "moves the position"), ("os.write(held, b'x')", "overwrites a file"), ("os.ftruncate(held, 0)", "empties a file"),
        ("os.lseek(held, 5, 0)", "moves the position"), ("os.close(held)", "closes it"), ("os.dup(held)", "opens another"), ("os.dup2(held, pipe_in)", "replaces a pipe"),
        ("os.write(pipe_in, b'x')", "writes into a pipe"), ("os.read(pipe_out, 1)", "takes from a pipe"), ("os.open('/dev/null', 0)", "opens a device"),
        ("os.closerange(held, held + 1)", "closes it"), ("os.set_blocking(pipe_out, True) or os.read(pipe_out, 2)", "takes from a pipe"),
    ]),
    hostile("shared memory", _SHARED, changes=[
        ("shared_map.write(b'x')", "writes into a mapped file"), ("shared_map.__setitem__(0, 1)", "writes into a mapped file"), ("anonymous.write(b'x')", "writes into shared memory"),
        ("anonymous.__setitem__(5, 1)", "writes into shared memory"), ("shared_view.__setitem__(0, 1)", "writes through a view"), ("setattr(shared_cell, 'value', 8)", "writes into shared memory"),
        ("shared_memory.SharedMemory(block_name, create=True, size=64)", "makes a shared block"), ("shared_map.resize(8192)", "grows a file"), ("shared_map.close()", "unmaps it"),
        ("ctypes.memset(ctypes.addressof(shared_cell), 1, 4)", "writes into shared memory"),
    ]),
    hostile("fifos", _FIFOS, changes=[
        ("os.write(fifo, b'x')", "writes into a fifo"), ("os.read(fifo, 2)", "takes from a fifo"), ("os.mkfifo(folder + '/another')", "makes a fifo"),
        ("os.open(folder + '/fifo', os.O_RDWR)", "opens a fifo"),
    ], hangs=[("open(folder + '/waiting').read()", "waits for a writer"), ("os.open(folder + '/waiting', os.O_WRONLY)", "waits for a reader")]),
    hostile("sockets", _SOCKETS, changes=[
        ("left.send(b'x')", "sends"), ("right.recv(3)", "takes what was sent"), ("left.close()", "closes it"), ("socket.socket().detach()", "opens a descriptor"),
        ("socket.create_connection(('127.0.0.1', port)).detach()", "connects"), ("os.write(left.fileno(), b'x')", "sends"), ("socket.socketpair()[0].detach()", "opens a descriptor"),
        ("udp.connect(('127.0.0.1', port)) or left.send(b'y')", "connects and sends"), ("left.detach() and 1", "gives its descriptor away"), ("right.recv_into(buffer)", "overwrites a buffer"),
    ], hangs=[("urllib.request.urlopen('http://127.0.0.1:%d' % port).read()", "waits for an answer"), ("udp.recv(1)", "waits for a message"), ("quiet.accept()", "waits for a connection")]),
    hostile("memory bombs and endless loops", _BOMBS, hangs=[
        ("endless()", "loops for ever"), ("fibonacci(60)", "takes years"), ("[x for x in iter(int, 1)]", "takes all memory"), ("list(itertools.count())", "takes all memory"),
        ("sum(range(10 ** 11))", "takes hours"), ("10 ** 10 ** 8", "takes hours"), ("math.factorial(10 ** 7)", "takes minutes"), ("re.match('(a+)+$', 'a' * 40 + 'b')", "takes years"),
        ("max(itertools.cycle([1]))", "loops for ever"), ("[0 for a in range(10 ** 6) for b in range(10 ** 6)]", "takes hours"),
        ("all(x > -1 for x in range(10 ** 11))", "takes hours"), ("any(map(bool, itertools.repeat(0)))", "loops for ever"), ("len({x % 7 for x in range(10 ** 10)})", "takes hours"),
    ]),
]  # fmt: skip
