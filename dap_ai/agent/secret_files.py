"""Files that may hold secrets, by their names alone. Pure."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

SECRET_FOLDERS = frozenset(
    {".git", ".hg", ".svn", ".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".gcloud", ".password-store"}
)
_SECRET_NAMES = (
    *(".env*", "*.env", ".netrc", "_netrc", ".pypirc", ".npmrc", ".pgpass", ".git-credentials", ".htpasswd"),
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.kdbx", "*.jks", "*.keystore", "*.ppk", "*.gpg", "*.tfstate"),
    *("secrets.*", ".secrets*", "credentials.*", "service-account*.json", "service_account*.json"),
)
_SECRET_UNLESS_SOURCE = ("id_*", "credentials*", "*.secret", "*.secrets")


def secret_rule(path: Path, *, is_source: bool) -> str:
    """Which rule says that a file may hold secrets; empty: none. `is_source`: its suffix is that of a program's."""
    folder = next((part for part in path.parts[:-1] if part.casefold() in SECRET_FOLDERS), "")
    if folder:
        return f"{folder}/"
    name = path.name.casefold()
    rules = _SECRET_NAMES if is_source else (*_SECRET_NAMES, *_SECRET_UNLESS_SOURCE)
    return next((rule for rule in rules if fnmatchcase(name, rule)), "")
