"""A program with secrets in every place where programs have them, and the secrets, made anew for each seed.

What is asserted is that none of them leaves, in whatever form; so each is unlike any other text of the test.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from pathlib import Path

from tests.unit.agent.secrets_planted import BASE64, Maker, key_block, shaped

PROGRAM = '''\
import os
import sys
from collections import deque, namedtuple
from dataclasses import dataclass

SIGNING_KEY = "{signing_key}"
HOOK = connect = "https://hooks.example.org/in?token={hook_token}"
Login = namedtuple("Login", "user password")


@dataclass
class Settings:
    user: str
    api_key: str
    nested: dict


class Client:
    shared_secret = "{shared_secret}"
    __slots__ = ("access_token", "host")

    def __init__(self, token, host):
        self.access_token = token
        self.host = host

    def retry(self, times, backup_token="{backup_token}"):
        return times


def login(user, password, client_secret="{client_secret}"):
    """Never with password="{doc_password}"."""
    settings = Settings(user, os.environ["SHOP_API_KEY"], {{"db": {{"db_password": "{db_password}", "port": 5432}}}})
    client = Client(os.environ["SHOP_TOKEN"], "db.example.org")
    dsn = "postgresql://shop:{dsn_password}@db.example.org/shop"
    headers = {{"Authorization": "Bearer {bearer}", "X-Api-Key": "{x_api_key}", "Accept": "text/html"}}
    credentials = [("bob", "{list_password}"), Login("eve", "{tuple_password}")]
    passwords = {{"bob": "{bob_password}", "eve": "{eve_password}"}}
    tokens = deque(["{deque_token}"])
    secret_bytes, buffer = b"{bytes_secret}", bytearray(b"password={buffer_password}")
    auth_token = "{long_token}"
    private_key = """{private_key}"""
    path = "/srv/cache/{path_token}/index.html"
    text = '{{"refresh_token": "{json_token}", "page": 3}}'
    command = "mysql --user bob --password {command_password} shop"
    note, copied, total = "{shaped_note}", password, 10
    passphrase = "{word_passphrase}"
    if len(sys.argv) > 1:
        print("connecting, token={output_token}")
        print("using", copied, "and", "{shaped_output}", file=sys.stderr)
{shaped_locals}

    def renew(count, again=settings.api_key):
        return [client, again, count / total]

    if count_of(passwords) > total:
        renew(1)
    error = ValueError("login of %s failed: password=%s is wrong for %s" % (user, password, settings.api_key))
    raise error


def count_of(passwords):
    return len(passwords) + 0


login("bob", SIGNING_KEY[:0] + os.environ.pop("FIRST_WORD"))
'''


@dataclass
class Planted:
    """The secrets by where they stand."""

    seed: int
    secrets: dict[str, str] = field(default_factory=dict[str, str])
    environment: dict[str, str] = field(default_factory=dict[str, str])
    arguments: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        maker = Maker(self.seed)
        names = (
            "signing_key hook_token shared_secret backup_token client_secret doc_password db_password dsn_password "
            "bearer x_api_key list_password tuple_password bob_password eve_password deque_token bytes_secret "
            "buffer_password json_token command_password output_token argv_password argv_token env_key env_token "
            "env_other first_word console console_result question argument"
        )
        self.secrets = {name: maker.of(16 + number % 9) for number, name in enumerate(names.split())}
        self.secrets["long_token"] = maker.of(700, BASE64.replace("/", "x"))
        self.secrets["word_passphrase"] = "correcthorsebattery"
        self.shapes = shaped(self.seed)
        self.secrets |= {f"shaped {kind}": secret for kind, secret in self.shapes.items()}
        self.secrets["path_token"] = self.shapes["github"]
        self.secrets["shaped_note"] = self.shapes["stripe live"]
        self.secrets["shaped_output"] = self.shapes["gitlab"]
        self.secrets["private_key"] = key_block(self.seed)
        self.environment = {
            "SHOP_API_KEY": self.secrets["env_key"],
            "SHOP_TOKEN": self.secrets["env_token"],
            "FIRST_WORD": self.secrets["first_word"],
            "DATABASE_URL": f"mysql://root:{self.secrets['env_other']}@db/shop",
        }
        self.arguments = ["--password", self.secrets["argv_password"], f"--token={self.secrets['argv_token']}"]

    def without(self, *kinds: str) -> None:
        """Forgets those whose name begins so: they are in no place of this test."""
        self.secrets = {name: secret for name, secret in self.secrets.items() if not name.startswith(kinds)}

    def write(self, program: Path) -> None:
        """The program's source."""
        lines = [f"    value_{n} = {secret!r}" for n, secret in enumerate(self.shapes.values())]
        program.write_text(PROGRAM.format(**self.secrets, shaped_locals="\n".join(lines)), encoding="utf-8")

    def left(self, text: str) -> list[str]:
        """Which secrets a text holds, in a form from which each can be had back, each with what stands before it."""
        found = [(name, text.find(form)) for name, secret in self.secrets.items() for form in _forms(secret)]
        return [f"{name}: ...{text[max(0, at - 60) : at + 40]!r}" for name, at in found if at >= 0]


def _forms(secret: str) -> list[str]:
    if "\n" in secret:
        return [line for line in secret.splitlines() if len(line) > 20 and "-----" not in line]
    if len(secret) > 200:  # of a long one, no piece that helps
        return [secret[at : at + 40] for at in range(0, len(secret) - 40, 20)]
    codes = [ord(c) for c in secret]
    return [
        secret,
        secret[::-1],
        secret[1:],
        secret.encode().hex(),
        base64.b64encode(secret.encode()).decode().rstrip("="),
        ", ".join(map(str, codes[:12])),
        ", ".join(str(code ^ 1) for code in codes[:12]),
    ]
