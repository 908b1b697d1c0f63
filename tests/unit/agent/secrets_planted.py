"""Secrets for tests of masking, made at run time so that no scanner takes this file for a leak, and plain strings."""

from __future__ import annotations

import base64
import json
import random
import string
import uuid
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import quote, quote_plus

LETTERS = string.ascii_letters
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"


class Planted(NamedTuple):
    """A text and the secret in it that must not remain."""

    what: str
    text: str
    secret: str


class Maker:
    """Random pieces, the same in every run."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311  the same in every run

    def of(self, size: int, letters: str = ALNUM) -> str:
        text = "".join(self._random.choice(letters) for _ in range(size - 2))
        return "9".join([text[: size // 2], text[size // 2 :]]) + ("k" if "k" in letters else "7")

    def token(self, *parts: str | int, letters: str = ALNUM) -> str:
        """Literal parts as they are, a number as so many random letters."""
        return "".join(part if isinstance(part, str) else self.of(part, letters) for part in parts)


def shaped(seed: int = 1) -> dict[str, str]:
    """Secrets that show by their shape alone."""
    m = Maker(seed)
    caps = string.ascii_uppercase + "234567"
    head = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "typ": "JWT"}).encode()).decode().rstrip("=")
    body = base64.urlsafe_b64encode(json.dumps({"sub": "4711", "name": "bob"}).encode()).decode().rstrip("=")
    return {
        "github": m.token("gh", "p_", 36),
        "github oauth": m.token("gh", "o_", 36),
        "github app": m.token("gh", "s_", 36),
        "github fine": m.token("github", "_pat_", 22, "_", 59),
        "gitlab": m.token("gl", "pat-", 20, letters=URLSAFE),
        "slack bot": m.token("xo", "xb-", "123456789012-123456789012-", 24),
        "slack app": m.token("xa", "pp-1-A0", 10, "-", 30),
        "slack hook": m.token("https://hooks.", "slack.com/services/T0", 8, "/B0", 8, "/", 24)[8:],
        "stripe live": m.token("sk", "_live_", 24),
        "stripe test": m.token("sk", "_test_", 24),
        "stripe restricted": m.token("rk", "_live_", 24),
        "stripe hook": m.token("wh", "sec_", 32),
        "openai": m.token("s", "k-", 48),
        "openai project": m.token("s", "k-proj-", 64, letters=URLSAFE),
        "anthropic": m.token("s", "k-ant-api03-", 80, letters=URLSAFE),
        "google": m.token("AI", "za", 35, letters=URLSAFE),
        "google oauth": m.token("ya", "29.", 60, letters=URLSAFE),
        "google client": m.token("GOC", "SPX-", 28, letters=URLSAFE),
        "aws id": m.token("AK", "IA", 16, letters=caps).replace("9", "A").replace("k", "B"),
        "aws session id": m.token("AS", "IA", 16, letters=caps).replace("9", "A").replace("k", "B"),
        "azure": m.token("abc8", "Q~", 34, letters=URLSAFE),
        "npm": m.token("np", "m_", 36),
        "pypi": m.token("py", "pi-AgEIcHlwaS5vcmc", 70, letters=URLSAFE),
        "telegram": m.token("123456789:", "AA", 33, letters=URLSAFE),
        "twilio": m.token("S", "K", 32, letters=HEX).replace("k", "a"),
        "sendgrid": m.token("S", "G.", 22, ".", 43, letters=URLSAFE),
        "hugging face": m.token("h", "f_", 34),
        "jwt": ".".join([head, body, m.of(43, URLSAFE)]),
        "discord": m.token("M", 24, ".", 6, ".", 30),
        "digital ocean": m.token("do", "p_v1_", 64, letters=HEX).replace("k", "a"),
        "databricks": m.token("da", "pi", 32, letters=HEX).replace("k", "a"),
        "shopify": m.token("sh", "pat_", 32, letters=HEX).replace("k", "a"),
        "vault": m.token("hv", "s.", 30),
        "groq": m.token("gs", "k_", 50),
        "docker": m.token("dc", "kr_pat_", 27, letters=URLSAFE),
        "random base64": m.of(40, BASE64),
        "random base62": m.of(32),
        "random url-safe": m.of(43, URLSAFE),
        "random base32": m.of(32, caps).replace("k", "Q"),
        "random base36": m.of(36, string.ascii_lowercase + string.digits),
    }


def named(seed: int = 2) -> dict[str, str]:
    """Secrets that show by their name alone."""
    m = Maker(seed)
    return {
        "password": "hunter2",
        "passwd": "tr0ub4dor&3",
        "pwd": "S3cr3t!pass",
        "db_password": "swordfish9",
        "dbPassword": "Winter2024!",
        "DB_PASSWORD": "pa55word-db",
        "user_passwd": "qwertz4711",
        "passphrase": "staple77battery",
        "secret": "s3same-0pen",
        "client_secret": m.of(24),
        "SECRET_KEY": m.of(50, ALNUM + "!@#%^*-_=+"),
        "secret_key_base": m.of(64, HEX).replace("k", "a"),
        "api_key": m.of(20),
        "apiKey": m.of(24, HEX).replace("k", "a"),
        "API-KEY": m.of(16),
        "X-Api-Key": m.of(32, HEX).replace("k", "a"),
        "access_key": m.of(20),
        "AWS_SECRET_ACCESS_KEY": m.of(40, BASE64),
        "private_key": m.of(44, BASE64),
        "token": m.of(20),
        "auth_token": m.of(18),
        "accessToken": m.of(40, HEX).replace("k", "a"),
        "refresh_token": m.of(30, URLSAFE),
        "GITLAB_TOKEN": m.of(20),
        "csrftoken": m.of(32),
        "session_id": m.of(26, HEX).replace("k", "a"),
        "sessionid": str(uuid.UUID(int=random.Random(seed).getrandbits(128))),  # noqa: S311  the same
        "credential": m.of(14),
        "encryption_key": m.of(32, HEX).replace("k", "a"),
        "signing_key": m.of(20),
        "smtp_pass": "m4ilm3now",
        "MYSQL_ROOT_PASSWORD": "r00tr00t!",
    }


def key_block(seed: int = 3, kind: str = "RSA ") -> str:
    """A private key in PEM, of random material."""
    m = Maker(seed)
    lines = [m.of(64, BASE64) for _ in range(12)]
    return "\n".join(
        [f"-----BEGIN {kind}PRIVATE KEY-----", *lines, m.of(20, BASE64) + "==", f"-----END {kind}PRIVATE KEY-----"]
    )


def urls() -> Iterator[Planted]:
    """Connection strings and URLs with a password or a key."""
    for secret in ("hunter2", "p@ssw0rd", "x9!y8$z7", "swordfish", "a%40b%2Fc9", "123456"):
        for text in (
            f"postgresql://bob:{secret}@db.example.org:5432/shop",
            f"redis://:{secret}@cache:6379/0",
            f"connecting to 'amqp://guest2:{secret}@mq/%2f' failed",
            f"mongodb+srv://bob:{secret}@cluster0.mongodb.net/?retryWrites=true",
            f"git clone https://bob:{secret}@git.example.org/x.git",
            f"create_engine('mysql+pymysql://root:{secret}@localhost/test')",
            f"jdbc:oracle:thin:scott/{secret}@//db.example.org:1521/svc",
            f"url: jdbc:oracle:oci8:scott/{secret}@tns, user: scott",
            f"cx_Oracle.connect('scott/{secret}@orcl')",
            f"$ sqlplus -S scott/{secret}@orcl @x.sql",
        ):
            yield Planted("url", text, secret)
    yield Planted("jdbc", "jdbc:postgresql://db/shop?user=bob&password=swordfish", "swordfish")
    yield Planted("jdbc", "jdbc:sqlserver://db:1433;databaseName=shop;user=sa;password=sw0rd;encrypt=true", "sw0rd")
    m = Maker(4)
    for name in ("token", "access_token", "api_key", "sig", "key", "X-Amz-Signature", "code", "password"):
        secret = m.of(24)
        yield Planted(f"query {name}", f"GET /files?id=7&{name}={secret}&page=2 HTTP/1.1", secret)
        yield Planted(f"query {name}", f"requests.get('https://x.org/a?{name}={secret}')", secret)
    account = m.of(86, BASE64) + "=="
    yield Planted(
        "azure", f"DefaultEndpointsProtocol=https;AccountName=x;AccountKey={account};EndpointSuffix=y", account
    )
    yield Planted("odbc", "Driver={SQL Server};Server=x;Uid=bob;Pwd=hunter2;Database=y", "hunter2")
    yield Planted("odbc in braces", "Driver={SQL Server};Server=x;Uid=bob;Pwd={hunter;2};Database=y", "hunter;2")
    yield Planted("oracle, quoted", 'jdbc:oracle:thin:scott/"p/ss@w0rd"@db:1521:x', "p/ss@w0rd")
    yield Planted("libpq", "host=db user=bob password=hunter2 dbname=shop", "hunter2")


SHAPED_PLACES: dict[str, Callable[[str], str]] = {
    "output": lambda s: f"2024-05-01 12:00:01 INFO got {s} from the server",
    "alone": lambda s: s,
    "local": lambda s: f"value = {s!r}",
    "walked": lambda s: f"x -> {s!r}",
    "nested": lambda s: repr({"a": {"b": ["plain", {"c": s}]}}),
    "json": lambda s: json.dumps({"result": {"items": [s]}}),
    "source": lambda s: f'    client = Client("{s}", timeout=3)',
    "exception": lambda s: f"ValueError: cannot use '{s}' here",
    "argv": lambda s: repr(["prog", "--with", s]),
    "environment": lambda s: f"environ({{'X_THING': {s!r}}})",
    "env line": lambda s: f"X_THING={s}",
    "bytes": lambda s: repr(s.encode()),
    "header": lambda s: f"Authorization: Bearer {s}",
    "header repr": lambda s: repr({"Authorization": f"token {s}", "Accept": "*/*"}),
    "url user": lambda s: f"https://{s}@example.org/x" if "/" not in s and ":" not in s else f"x={s}",
    "path": lambda s: f"/home/bob/cache/{s}/data.txt" if "/" not in s and "+" not in s else f"x {s}",
    "markdown": lambda s: f"the value is `{s}`, which is refused.",
    "sentence": lambda s: f"It used {s}.",
    "two lines": lambda s: f"first\n{s}\nlast",
    "comma": lambda s: f"bob,{s},7",
}

NAMED_PLACES: dict[str, Callable[[str, str], str]] = {
    "local": lambda n, s: f"{n} = {s!r}",
    "walked": lambda n, s: f"{n} -> {s!r}",
    "dict": lambda n, s: repr({"user": "bob", n: s, "port": 5432}),
    "nested": lambda n, s: repr({"db": {"main": {n: s}}}),
    "bytes": lambda n, s: repr({n: s.encode()}),
    "json": lambda n, s: json.dumps({"user": "bob", n: s}),
    "json lines": lambda n, s: json.dumps({"user": "bob", n: s}, indent=2),
    "json in json": lambda n, s: json.dumps({"body": json.dumps({n: s})}),
    "json in a repr": lambda n, s: repr(json.dumps({n: s})),
    "yaml": lambda n, s: f"database:\n  user: bob\n  {n}: {s}\n  port: 5432\n",
    "yaml quoted": lambda n, s: f"  {n}: '{s}'\n",
    "toml": lambda n, s: f'[db]\n{n} = "{s}"\n',
    "ini": lambda n, s: f"[db]\nuser = bob\n{n} = {s}\n",
    "env": lambda n, s: f"export {n}={s}\n",
    "dotenv": lambda n, s: f'A=1\n{n}="{s}"\n',
    "header": lambda n, s: f"Host: x\r\n{n}: {s}\r\nAccept: */*\r\n",
    "option": lambda n, s: f"prog --{n} {s} --verbose",
    "option with =": lambda n, s: f"prog --{n}={s} --verbose",
    "argv": lambda n, s: repr(["prog", f"--{n}", s, "-v"]),
    "argv with =": lambda n, s: repr(["prog", f"--{n}={s}"]),
    "source": lambda n, s: f'    self.{n} = "{s}"  # set it',
    "annotated": lambda n, s: f'{n}: str = "{s}"',
    "optional": lambda n, s: f"    {n}: Optional[str] = '{s}'",
    "argument": lambda n, s: f'conn = connect(host, {n}="{s}", port=1)',
    "dataclass": lambda n, s: f"User(name='bob', {n}={s!r}, age=3)",
    "namespace": lambda n, s: f"Namespace({n}={s!r}, verbose=False)",
    "subscript": lambda n, s: f'os.environ["{n}"] = "{s}"',
    "environment": lambda n, s: f"environ({{'PATH': '/bin', '{n}': {s!r}}})",
    "items": lambda n, s: repr([("Host", "x"), (n, s)]),
    "secret type": lambda n, s: f"{n}=SecretStr('{s}')",
    "exception": lambda n, s: f"LoginError: refused ({n}={s!r})",
    "compared": lambda n, s: f"if {n} == '{s}':",
    "cut": lambda n, s: f"{n} = '{s[:6]}...+30 chars",
    "query": lambda n, s: f"https://x.org/?a=1&{n}={quote(s)}&b=2",
    "xml": lambda n, s: f"<{n}>{s.replace('&', 'u')}</{n}>",
    "output": lambda n, s: f"INFO login as bob, {n}={s!r}, ok",
    "sentence": lambda n, s: f"the {n} is '{s}' today",
}


def forms_of(secret: str) -> dict[str, str]:
    """How a known secret may be written."""
    data = secret.encode()
    return {
        "alone": secret,
        "inside": f"xx{secret}yy" if len(secret) >= 8 and not secret.isalpha() else f"x/{secret}/y",
        "repr": repr(secret + "'"),
        "json": json.dumps(secret),
        "json twice": json.dumps(json.dumps(secret)),
        "url": f"a={quote(secret, safe='')}&b",
        "url plus": f"a={quote_plus(secret)}&b",
        "base64": base64.b64encode(data).decode(),
        "base64 after a": base64.b64encode(b"bob:" + data).decode(),
        "base64 after two": base64.b64encode(b"user1:" + data + b"\n").decode(),
        "base64 inside": base64.b64encode(b"alice:" + data + b"&x=1").decode(),
        "url-safe base64": base64.urlsafe_b64encode(data).decode().rstrip("="),
        "hex": data.hex(),
        "bytes": repr(data),
        "cut": f"'{secret[:6]}...+9 chars",
    }


KNOWN = (
    "correct-horse-7",
    "Grüße&Küsse",
    'it\'s"quoted"',
    "tab\tand\nline",
    "back\\slash9",
    "p@ss w0rd/+=",
    "swordfish",
    "71829304",
)


def all_planted() -> Iterator[Planted]:
    """Every secret in every place that suits it. Those of `KNOWN` are apart: a masker must have been told of them."""
    for kind, secret in shaped().items():
        for place, put in SHAPED_PLACES.items():
            yield Planted(f"{kind}, {place}", put(secret), secret.rpartition(":")[2])
    for name, secret in named().items():
        for place, put_named in NAMED_PLACES.items():
            text = put_named(name, secret)
            if "\\" in repr(secret) or (place in ("yaml", "ini", "header", "option") and " " in secret):
                continue
            needle = secret[:6] if place == "cut" else secret
            yield Planted(f"{name}, {place}", text, quote(needle) if place == "query" else needle)
    yield from urls()
    yield from _keys()
    yield from _others()


def _keys() -> Iterator[Planted]:
    for seed, kind in enumerate(("RSA ", "EC ", "", "OPENSSH ", "ENCRYPTED "), 10):
        block = key_block(seed, kind)
        lines = block.split("\n")
        texts = {
            "whole": block,
            "escaped": repr(block),
            "in json": json.dumps({"key": block}),
            "twice": json.dumps(json.dumps({"key": block})),
            "no end": "\n".join(lines[:7]),
            "cut": f"'{chr(92)}n".join(lines[:1]) + "\n" + lines[1] + "\n" + lines[2][:30] + "...+900 chars",
            "no beginning": "\n".join(lines[4:]),
            "source": 'KEY = """' + block + '"""',
            "pieces": "KEY = (" + "\n".join(f'    "{line}\\n"' for line in lines) + ")",
            "crlf": block.replace("\n", "\r\n"),
            "indented": "\n".join("    " + line for line in lines),
        }
        for place, text in texts.items():
            shown = [line for line in lines[1:-1] if line in text]
            for line in shown:
                yield Planted(f"{kind}key, {place}", text, line)


def _others() -> Iterator[Planted]:
    m = Maker(6)
    basic = base64.b64encode(b"bob:hunter2!").decode()
    yield Planted("basic", f"Authorization: Basic {basic}", basic)
    yield Planted("basic", f"{{'Authorization': 'Basic {basic}'}}", basic)
    yield Planted("basic", f"curl -H 'authorization: Basic {basic}' x", basic)
    bearer = m.of(24)
    yield Planted("bearer", f'-H "Authorization: Bearer {bearer}"', bearer)
    yield Planted("bearer", f"sent header b'Authorization: Bearer {bearer}\\r\\n'", bearer)
    yield Planted("cookie", "Cookie: sid=abc123def; theme=dark", "abc123def")
    yield Planted("cookie", "Set-Cookie: session=abc123def456; Path=/; HttpOnly", "abc123def456")
    yield Planted("cookie", "{'Cookie': 'sid=abc123def'}", "abc123def")
    yield Planted("curl", "curl -u bob:hunter2 https://example.org", "hunter2")
    yield Planted("curl", "['curl', '--user', 'bob:hunter2']", "hunter2")
    yield Planted("mysql", "mysql -u root -phunter2 shop", "hunter2")
    yield Planted("sshpass", "sshpass -p hunter2 ssh bob@host", "hunter2")
    yield Planted("docker", "docker login -u bob -p hunter2 registry.example.org", "hunter2")
    yield Planted("netrc", "machine x.org login bob password hunter2", "hunter2")
    yield Planted("sql", "ALTER USER bob WITH PASSWORD 'hunter2'", "hunter2")
    yield Planted("auth", "requests.get(url, auth=('bob', 'swordfish'))", "swordfish")
    yield Planted("list", "passwords = ['hunter2', 'swordfish9']", "swordfish9")
    yield Planted("list", "'passwords': {'bob': 'hunter2'}", "hunter2")
    yield Planted("key pass", '{"user": "bob", "pass": "tr0ub4dor&3"}', "tr0ub4dor&3")
    yield Planted("key pass", '{\\"pass\\" : \\"tr0ub4dor&3\\"}', "tr0ub4dor&3")
    yield Planted("key pass", "auth['pass'] = 'tr0ub4dor&3'", "tr0ub4dor&3")
    yield Planted("sentence", "The password is hunter2, and the user is bob.", "hunter2")
    yield Planted("pass-phrase", "passphrase = 'correct horse battery staple'", "correct horse battery staple")
    yield Planted("word", "password='swordfish'", "swordfish")
    yield Planted("word", "DB_PASSWORD=swordfish", "swordfish")
    yield Planted("word", "--password swordfish", "swordfish")
    yield Planted("word", "password: swordfish", "swordfish")
    for kind, secret in shaped(7).items():
        if not kind.startswith(
            ("random", "telegram", "jwt", "twilio", "discord", "databricks", "azure", "slack hook", "docker", "aws")
        ):
            yield Planted(f"{kind}, cut", f"x = '{secret[:20]}...+30 chars", secret[:20])
            yield Planted(f"{kind}, cut", f"x = '{secret[:20]}'...+30 chars", secret[:20])


ORDINARY = r'''
password = None
password: str
password: str | None = None
password=password
password=self.password
self.password = password
token = tokens[i]
def f(token):
def login(user, password, *, token=None):
token_count = 12
len(tokens) -> 150
tokenize
secretary = 'Alice'
keyword = 'for'
pass
first_pass = 3
os.environ["API_KEY"]
api_key = os.environ["API_KEY"]
api_key = os.environ.get("API_KEY")
api_key=os.getenv('OPENAI_API_KEY', '')
password = getpass.getpass("Password: ")
password = input('Enter your password: ')
token = next(tokens)
token == '('
if token.type == tokenize.NAME:
tokens = ['the', 'cat', 'sat']
tokens = text.split()
token: 'NUMBER'
max_tokens=4096
"usage": {"prompt_tokens": 1200, "completion_tokens": 340, "total_tokens": 1540}
token = True
secret = False
has_secret = True
is_token = False
session_id = 7
pin = 1234
password_length = 16
MIN_PASSWORD_LENGTH = 12
token_type = 'bearer'
token_url = 'https://example.org/oauth/token'
password_field = 'pw_field_1'
password_file = '/run/secrets/db_password'
cookie_name = 'sessionid_v2'
raise ValueError("password must be at least 8 characters")
the password is required
the password is wrong
password is incorrect.
Invalid token: expected ')' at line 12
SyntaxError: invalid token
unexpected token 'else'
JSONDecodeError: Expecting value: line 1 column 1 (char 0)
KeyError: 'password'
AttributeError: 'NoneType' object has no attribute 'token'
TypeError: login() missing 1 required positional argument: 'password'
usage: prog [-h] [--password PASSWORD] [--token TOKEN] file
  --password PASSWORD   the password to use
use the --password option
--token <token>
password=******
password = "********"
password: [REDACTED]
password=${DB_PASSWORD}
password=$DB_PASSWORD
password: {{ vault_password }}
password=%s
"password": "%(password)s"
f"password={password}"
f'{user}:{password}@{host}'
"token": token,
{"password": password, "user": user}
{'password': ['This field is required.']}
"password": {"type": "string", "description": "The password of the user"}
getattr(self, 'password', 'none')
hash(password)
check_password(password, hashed)
lambda token: token.value
for token in tokens:
password += 'x'
del password
Secret
secrets.token_hex(16)
import secrets
from tokenize import TokenInfo
TokenInfo(type=1 (NAME), string='def', start=(1, 0), end=(1, 3), line='def f(x):\n')
Token(type='NAME', value='x1')
tok = Token('PLUS', '+')
/etc/passwd
PWD=/home/bob/project
OLDPWD=/tmp
PATH=/usr/local/bin:/usr/bin:/bin
HOME=/home/bob
/usr/lib/python3.11/site-packages/numpy/core/_multiarray_umath.cpython-311-x86_64-linux-gnu.so
/home/bob/.cache/pip/wheels/3a/9f/42/8b1f3b6e6f2a9d3c1e5a7b9c0d2e4f6a8b0c1d2e3f4a5b6c7d/x.whl
C:\Users\bob\AppData\Local\Programs\Python\Python311\python.exe
File "/work/app/services/authentication_service.py", line 42, in authenticate
dap_ai.debuggees.python.inspector.interpreter.node_interpreter
tests.unit.agent.masking.test_mask.TestMaskerWithVeryLongNames
commit bd3381652f03cc93c9390ac77939de91ebb67a01
git checkout 52f03ccaa1b2c3d4e5f60718293a4b5c6d7e8f90
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
d41d8cd98f00b204e9800998ecf8427e
--hash=sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="
550e8400-e29b-41d4-a716-446655440000
id = UUID('550e8400-e29b-41d4-a716-446655440000')
request_id=7f3c2f0e-8e0a-4a52-9d70-3f6d6e1f2a11
<object at 0x7f8b1c2d3e4f>
<__main__.Account object at 0x7ffff7a1b2c0>
0xdeadbeefcafebabe
array([1.0, 2.0, 3.0, ... 8 more], float64)
array([[0.12345678, 0.87654321], [1.5e-05, 2.25e+10]])
[3.141592653589793, 2.718281828459045, 1.4142135623730951]
3.14159265358979323846264338327950288
12345678901234567890
1000000007
-1
1e-9
2024-05-01
2024-05-01T12:00:01.123456+00:00
12:00:01
Sat Nov 21 07:57:51 UTC 2026
v1.2.3-rc1+build.20240501
numpy==1.26.4
192.168.0.1:8080
http://localhost:8080/path
https://example.org/a/b/c?page=2&sort=name
https://user@example.org/
ssh://git@github.com/owner/repo.git
git@github.com:owner/repo.git
http://host:8080/@user/page
https://docs.python.org/3/library/secrets.html#secrets.token_urlsafe
http://username:password@hostname:port/path
mailto:bob@example.org
bob@example.org
Traceback (most recent call last):
AssertionError: assert account.balance == 50
withdraw(self=<Account>, amount=50)
x -> 7
balance -> 50 (int)
name -> 'bob'
items -> [1, 2, 3, ... 147 more]
stats -> {'count': 150, 'mean': 3.5}
df -> <DataFrame 150 x 4>
loop x 150: count 0..149
self -> <Parser at 0x7f8b1c2d3e4f>
key = 'name'
key=lambda x: x.name
for key, value in items:
sort_keys=True
primary_key=True
foreign_key = ForeignKey('users.id')
KEY_UP = 259
keys = list(d.keys())
d['key'] = 'value'
cache_key = f"{prefix}:{name}"
auth = None
author = 'Bob'
authority = 'example.org'
authenticate(user)
auth_required = True
authorization = request.headers.get('Authorization')
Authorization: required
cookie = SimpleCookie()
cookies = {}
session = Session()
session.commit()
session.query(User).filter_by(name='bob1')
credentials = None
credentials = load_credentials(path)
dsn = None
Bearer authentication is not supported
Basic understanding of algorithms
basic configuration1
Basic authentication
bearer of bad news
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
if '-----BEGIN PRIVATE KEY-----' in text:
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 bob@host
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
thisIsAVeryLongIdentifierNameWithCamelCase2
THIS_IS_A_VERY_LONG_CONSTANT_NAME_2024
test_masker_keeps_a_very_long_test_name_with_numbers_123
HTTPServerRequestHandlerFactory2Builder
__pyx_pw_5numpy_6random_13bit_generator_12SeedSequence_1__init__
_ZNSt6vectorIiSaIiEE9push_backERKi
libstdc++.so.6.0.30
my-service-deployment-2024-05-01-report-final.csv
k8s-app-frontend-5d4f8c7b9-x2x4z
a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p
abcdefghijklmnopqrstuvwxyz0123456789
ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1111
========================================
----------------------------------------
| a | b | c |
- [x] done: 12 of 14
See <secret:3f2a> above.
password = '<secret:3f2a>'
password=<secret:3f2a>
'<secret:12ab>...+30 chars'
Lorem ipsum dolor sit amet, consectetur adipiscing elit 2024.
The quick brown fox jumps over the lazy dog 12345 times
SELECT id, password FROM users WHERE name = 'bob'
INSERT INTO users (name, password) VALUES (?, ?)
CREATE TABLE users (id INTEGER PRIMARY KEY, password VARCHAR(64))
<input type="password" name="password" id="password">
<label for="password">Password:</label>
:param password: the password of the user
:type token: str
Args: token (str): the token to check.
"""Returns the token at the position."""
# password: see the manual
// token is used twice
@property
def password(self) -> str:
return self._token
assert token is None
token is not None
tokens: list[Token] = []
password: ClassVar[str]
secret: bytes = field(repr=False)
api_key: Optional[str] = None
api_key: str = Field(..., env="API_KEY")
access_key=access_key, secret_key=secret_key
private_key = load_pem_private_key(data, None)
private_key = rsa.generate_private_key(65537, 2048)
public_key = key.public_key()
next_token = response.get("nextToken")
pad_token_id = 50256
eos_token = '</s>'
bos_token='<s>'
"bos_token": "<|endoftext|>"
special_tokens = {'[CLS]': 101, '[SEP]': 102}
csrf_token()
batch_1_day_max_input_tokens=batch_1_day_max_input_tokens, x={"max_tokens_1_day": max_tokens_1_day2}
"tool_call_id": "call_wKayJlcYV12NiadiZuJXxcfx"
id='chatcmpl-9xK2mQ7vB4nZ8pL3sT6wY1cR5dF0g'
"APIKeys": (".api_keys", "APIKeys"),
{% csrf_token %}
jdbc:oracle:thin:@//db.example.org:1521/svc
jdbc:oracle:thin:<user>/<password>@host
f"jdbc:oracle:thin:{user}/{password}@{host}"
f"Driver={{SQL Server}};UID={user};PWD={password};Database={name}"
sqlplus user/password@orcl
they connect a/b testing groups to bob@example.org
'''.strip().split("\n")  # fmt: skip
