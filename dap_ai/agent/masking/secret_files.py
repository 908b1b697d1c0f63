"""Recognises files that may hold secrets by their names, without reading them."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path

from dap_ai.agent.masking.spans import words

SECRET_FOLDERS = frozenset(
    {".git", ".hg", ".svn", ".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".gcloud", ".password-store"}
)
_SECRET_NAMES = (
    *(".env*", "*.env", ".netrc", "_netrc", ".pypirc", ".npmrc", ".pgpass", ".git-credentials", ".htpasswd", ".my.cnf"),
    *(
        "*.pem",
        "*.key",
        "*.p8",
        "*.p12",
        "*.pfx",
        "*.kdbx",
        "*.jks",
        "*.keystore",
        "*.keytab",
        "*.ppk",
        "*.gpg",
        "*.age",
    ),
    *("*.age", "*.tfstate", "*.tfvars", "*.ovpn", "*.vault", "*.wallet", "*.kubeconfig", "kubeconfig*", ".dockercfg*"),
    *(".dockerconfigjson", ".boto", ".s3cfg", ".vault*", ".passwd*", ".terraformrc", ".yarnrc.yml", "pip.conf"),
    *("secrets.*", ".secrets*", "credentials.*", "service-account*.json", "service_account*.json", "*adminsdk*.json"),
)
_SECRET_UNLESS_SOURCE = ("id_*", "credentials*", "*.secret", "*.secrets", "wallet.*")
_SECRET_WORDS = words(
    "password passwords passwd passwds passphrase passphrases pwd secret secrets credential credentials creds "
    "apikey apikeys htpasswd keystore vault kubeconfig mnemonic mnemonics"
)
"""Words that mark a data file as secret if its name contains them: `db-password.txt`, `vault.yml`."""
_TOKENS = frozenset({"token", "tokens"})
_BESIDE_TOKENS = words(
    "access api auth bearer bot ci deploy gh git github gitlab id npm oauth refresh session slack user vault"
)
"""Words that may accompany `token` in the name of a secret file. `github_token` is secret, `special_tokens_map.json` is
not.
"""
_SECRET_PAIRS = (
    *(("api", "key"), ("api", "keys"), ("private", "key"), ("private", "keys"), ("master", "key"), ("signing", "key")),
    *(("recovery", "codes"), ("backup", "codes"), ("seed", "phrase"), ("recovery", "phrase"), ("client", "secrets")),
)
_WORD = re.compile(r"[a-z]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def secret_rule(path: Path, *, is_source: bool) -> str:
    """Returns the rule by which a file may hold secrets; empty if no rule applies.

    `is_source`: the file's suffix is that of source code.
    """
    folder = next((part for part in path.parts[:-1] if part.casefold() in SECRET_FOLDERS), "")
    if folder:
        return f"{folder}/"
    name = path.name.casefold()
    rules = _SECRET_NAMES if is_source else (*_SECRET_NAMES, *_SECRET_UNLESS_SOURCE)
    return next((rule for rule in rules if fnmatchcase(name, rule)), "") or ("" if is_source else _secret_word(path))


def _secret_word(path: Path) -> str:
    """Returns the word that marks a data file as secret, by its name; empty if there is no such word."""
    parts = _WORD.findall(_CAMEL.sub(" ", path.stem).casefold())
    for word in parts:
        if word in _SECRET_WORDS:
            return word
    pair = next((pair for pair in pairwise(parts) if pair in _SECRET_PAIRS), None)
    if pair:
        return " ".join(pair)
    rest = [word for word in parts if word not in _TOKENS]
    return "token" if len(rest) < len(parts) and all(word in _BESIDE_TOKENS for word in rest) else ""
