"""Checks of the packing."""

import zlib

from codes import canonical, code_table, frequencies
from streams import checksum, from_run_text, packed, run_text, runs, to_bits, to_bytes, unpacked

TEXT = "she sells sea shells by the sea shore"


def check_codes():
    assert frequencies("banana") == {"b": 1, "a": 3, "n": 2}
    table = code_table("abracadabra")
    lengths = {letter: len(code) for letter, code in table.items()}
    assert lengths["a"] == 1
    assert sum(lengths[letter] for letter in "abracadabra") == 23
    assert code_table("aaaa") == {"a": "0"}
    assert canonical({"a": "1", "b": "011", "c": "00", "d": "010"}) == {"a": "0", "c": "10", "b": "110", "d": "111"}


def check_bits():
    assert to_bytes("1") == bytes([1, 128])
    assert to_bytes("0000001011111111") == bytes([8, 2, 255])
    for bits in ("1", "10101", "11111111", "000000001"):
        assert to_bits(to_bytes(bits)) == bits, bits


def check_packing():
    table, data = packed(TEXT)
    assert unpacked(table, data) == TEXT
    assert len(data) < len(TEXT) / 2
    for one in table.values():
        assert not any(other != one and other.startswith(one) for other in table.values())
    assert len(table["s"]) == 2
    assert len(data) == 16


def check_runs():
    assert runs("aab") == [["a", 2], ["b", 1]]
    assert run_text("aaabccdddddddddddd") == "3ab2c12d"
    assert from_run_text("3ab2c12d") == "aaabccdddddddddddd"
    for text in (TEXT, "", "zzzz"):
        assert from_run_text(run_text(text)) == text
    assert checksum(b"Wikipedia") == 300286872
    assert checksum(TEXT.encode()) == zlib.adler32(TEXT.encode())


if __name__ == "__main__":
    check_codes()
    check_bits()
    check_packing()
    check_runs()
    print("packed and unpacked")
