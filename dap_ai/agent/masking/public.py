"""Recognises random-looking words that are not secret, such as ids, hashes, public keys and addresses."""

from __future__ import annotations

import binascii
import hashlib
import re

from dap_ai.agent.masking.patterns import lazy

PLAIN_BEFORE = lazy(
    r"(?:sha(?:1|224|256|384|512)|md5|blake2[bs]|base64|integrity|checksum|digest|etag|image|"
    r"site[_-]?key|boundary|public[_-]?key|pub[_-]?key|verify[_-]?key|fingerprint|thumbprint|modulus)"
    r"[\"']?\s{0,2}[-:=,]\s?[\"']?(?:sha\d+[-:=])?-{0,40}\Z"
    r"|\bh1:\Z|\barn:[\w-]{1,20}:[\w:/.-]{0,60}\Z|/d/\Z|boundary=-{0,40}\w{0,20}\Z",
    re.IGNORECASE,
)
PLAIN_START = lazy(
    r"sha(?:1|224|256|384|512)[-:=]|AAAA[BCDEF][A-Za-z0-9]|data:|iVBORw0K|/9j/|R0lGOD|ssh-|_Z"
    r"|(?:call|toolu|chatcmpl|msg|run|thread|asst|resp|req|item|fc|rs|file|step)[_-]"  # ids of a model's interface
)

_IDENTIFIER = lazy(
    r"0[0-2][0-9A-HJKMNP-TV-Z]{24}|0[0-2][0-9a-hjkmnp-tv-z]{24}"  # ULID, of 1970 to 2075
    r"|[0-2][0-9A-Za-z]{26}"  # KSUID, of 2014 to 2049
    r"|c[h-n][a-z0-9]{23}"  # cuid
    r"|(?:ch|cus|pi|pm|sub|price|prod|in|ii|evt|acct|src|card|txn|re|po|seti|cs|il|si|py|tr|ba)_[A-Za-z0-9]{14,32}"
    r"|pk_(?:live|test)_\w{10,}"  # to be published: the others of Stripe are secret
    r"|(?:bc1|tb1|ltc1)[02-9ac-hj-np-z]{25,87}"  # addresses of wallets
    r"|Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{50,}"  # IPFS
    r"|[a-z]{1,20}_[0-7][0-9a-hjkmnp-tv-z]{25}"  # TypeID
)
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_PUBLIC_BLOCK = lazy(r"-----BEGIN [A-Z0-9 ]{0,20}(?:PUBLIC KEY|CERTIFICATE(?: REQUEST)?|X509 CRL)-----")
_JWK = lazy(r"\"(?:x|y|n|kid|x5t)\"\s?:\s?\"\Z")
_PROSE = lazy(r"[A-Za-z][\w',.:;()-]*(?: [\w',.:;()-]+){2,}[.!?]?\s*")
_NEAR = 4096


def is_public(text: str, at: int, word: str) -> bool:
    """Whether the random-looking word at position `at` is of a public kind, such as an id or an address."""
    return bool(
        _IDENTIFIER.fullmatch(word)
        or _JWK.search(text, max(0, at - 12), at)
        or _is_address(word)
        or _is_encoded_prose(word)
        or _in_public_block(text, at)
    )


def _is_address(word: str) -> bool:
    """Whether a word is a wallet address with a valid checksum."""
    if not (26 <= len(word) <= 35 and word[0] in "13" and all(char in _BASE58 for char in word)):
        return False
    number = 0
    for char in word:
        number = number * 58 + _BASE58.index(char)
    if number.bit_length() > 200:
        return False
    data = number.to_bytes(25, "big")
    return hashlib.sha256(hashlib.sha256(data[:21]).digest()).digest()[:4] == data[21:]


def _is_encoded_prose(word: str) -> bool:
    """Whether a word is base64 of a sentence that does not mention a secret."""
    try:
        plain = binascii.a2b_base64(word).decode("ascii")
    except ValueError:
        return False
    return bool(_PROSE.fullmatch(plain)) and not re.search(r"(?i)pass|secret|token|key|pwd|auth|\d{4}", plain)


def _in_public_block(text: str, at: int) -> bool:
    begin = text.rfind("-----BEGIN ", max(0, at - _NEAR), at)
    return begin >= 0 and _PUBLIC_BLOCK.match(text, begin) is not None and "-----END " not in text[begin:at]
