#!/usr/bin/env python3
"""Writes Sources/GrabenPredicate/Text/UnicodeTables.swift.

The standard library has lowercase mappings, combining classes and categories, but neither full case folding nor decompositions. This
prints what is missing, from the Unicode data of the Python that runs it: run it again when both that and the toolchain have moved on.

    python3 Scripts/unicode-tables.py > Sources/GrabenPredicate/Text/UnicodeTables.swift
"""
import unicodedata


def rows(name, comment, numbers):
    print(f"    /// {comment}")
    print(f"    static let {name}: [UInt32] = [")
    line = "       "
    for number in numbers:
        item = f" 0x{number:X},"
        if len(line) + len(item) > 138:
            print(line)
            line = "       "
        line += item
    print(line)
    print("    ]")


decompositions, foldings = [], []
for code in range(0x110000):
    if 0xD800 <= code <= 0xDFFF:
        continue
    character = chr(code)
    mapping = unicodedata.decomposition(character)
    if mapping and not mapping.startswith("<"):
        parts = [int(part, 16) for part in mapping.split()]
        composes = len(parts) == 2 and unicodedata.normalize("NFC", "".join(map(chr, parts))) == character
        decompositions.append((code, parts[0] | (0 if composes else 0x8000_0000), parts[1] if len(parts) == 2 else 0))
    folded = [ord(part) for part in character.casefold()]
    if folded != [ord(part) for part in character.lower()]:
        assert len(folded) <= 3
        foldings.append((code, *folded, *[0] * (3 - len(folded))))

print(f"// Made by Scripts/unicode-tables.py of Unicode {unicodedata.unidata_version}. Do not edit.")
print("// swift-format-ignore-file")
print()
print("/// What the standard library does not say about scalars.")
print("enum UnicodeTables {")
rows(
    "decompositions",
    "Threes, ascending: a scalar, the first of its canonical decomposition, the second or 0. The top bit of the first says never to compose.",
    [number for row in decompositions for number in row],
)
print()
rows(
    "foldings",
    "Fours, ascending: a scalar whose full case folding is not its lowercase, and the folding, filled up with 0.",
    [number for row in foldings for number in row],
)
print("}")
