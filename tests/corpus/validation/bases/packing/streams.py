"""Bits into bytes and back; runs of equal letters."""

from codes import canonical, code_table


def to_bytes(bits):
    """The first byte says how many bits of the last one are used."""
    used = len(bits) % 8 or 8
    padded = bits + "0" * (8 - used)
    return bytes([used]) + bytes(int(padded[start : start + 8], 2) for start in range(0, len(padded), 8))


def to_bits(data):
    used = data[0]
    bits = "".join(format(byte, "08b") for byte in data[1:])
    return bits[: len(bits) - 8 + used]


def packed(text):
    table = canonical(code_table(text))
    return table, to_bytes("".join(table[letter] for letter in text))


def unpacked(table, data):
    letters = {code: letter for letter, code in table.items()}
    result = []
    code = ""
    for bit in to_bits(data):
        code += bit
        if code in letters:
            result.append(letters[code])
            code = ""
    if code:
        raise ValueError(f"{code} is no code")
    return "".join(result)


def runs(text):
    found = []
    for letter in text:
        if found and found[-1][0] == letter:
            found[-1][1] += 1
        else:
            found.append([letter, 1])
    return found


def run_text(text):
    return "".join(letter if count == 1 else f"{count}{letter}" for letter, count in runs(text))


def from_run_text(text):
    result = ""
    count = ""
    for char in text:
        if char.isdigit():
            count += char
        else:
            result += char * int(count or 1)
            count = ""
    return result


def checksum(data):
    low, high = 1, 0
    for byte in data:
        low = (low + byte) % 65521
        high = (high + low) % 65521
    return high * 65536 + low
