#!/usr/bin/env python3
"""Makes the packed model file of store/meaning (its layout: README.md beside this) from the table
as it was fitted, and test vectors by a slow tokenizer and sum of its own. Not part of the build.

  pack_model.py pack DIRECTORY multi256.kmodel       DIRECTORY: multi256.safetensors, unigram.bin
  pack_model.py vectors DIRECTORY sentences.json vectors.json
  pack_model.py compare DIRECTORY multi256.kmodel sentences.json

The same input gives the same bytes. Needs nothing but Python's standard library.
"""
import array
import hashlib
import json
import math
import os
import struct
import sys
import unicodedata

NAME = b"kartei-multi256-v1"
GROUP = 32  # dims that share a scale
LANES = 4  # a group is 4 words of 32 bits; bits 4k..4k+3 of word i are its dim 4k + i
SCALE_UP = 1024.0  # vectors are normalised: scales are kept where f16 is exact
SCORE_ONE = 1 << 22  # scores are whole numbers of this fraction, without loss
MAP_BLOCK = 128  # code points
COMBINES = 0x8000  # in the character map: this code point may compose with the one before
FREE = 0xFE  # a label that no UTF-8 has
LEAF, ENDS = 1 << 8, 1 << 9
HEADER = 256


# ---- reading what was fitted

class Fitted:
    def __init__(self, directory):
        data = open(os.path.join(directory, "multi256.safetensors"), "rb").read()
        begin = 8 + struct.unpack_from("<Q", data)[0]
        tensors = json.loads(data[8:begin])
        self.pieces_n, self.dims = tensors["rows"]["shape"]
        first, last = tensors["rows"]["data_offsets"]
        self.rows = data[begin + first:begin + last]
        first, last = tensors["scale"]["data_offsets"]
        self.scales = struct.unpack(f"<{self.pieces_n}e", data[begin + first:begin + last])
        self.read_pieces(open(os.path.join(directory, "unigram.bin"), "rb").read())

    def read_pieces(self, data):
        assert data[:4] == b"UNIF"
        version, n, mapped, self.longest, self.unknown = struct.unpack_from("<IIIIf", data, 4)
        assert version == 1 and n == self.pieces_n
        offsets = struct.unpack_from(f"<{n + 1}I", data, 24)
        at = 24 + 4 * (n + 1)
        self.scores = struct.unpack_from(f"<{n}f", data, at)
        at += 4 * n
        self.pieces = [data[at + offsets[i]:at + offsets[i + 1]] for i in range(n)]
        at += offsets[n]
        self.map = {}
        for _ in range(mapped):
            point, size = struct.unpack_from("<IB", data, at)
            self.map[point] = data[at + 5:at + 5 + size]
            at += 5 + size
        assert at == len(data)

    def row(self, i):
        row = array.array("b", self.rows[i * self.dims:(i + 1) * self.dims])
        return [self.scales[i] * q for q in row]


# ---- the pieces as a double array

class Node:
    __slots__ = ("children", "piece", "slot")

    def __init__(self):
        self.children, self.piece, self.slot = {}, None, 0


def trie_of(pieces):
    root = Node()
    for piece_id in range(1, len(pieces)):  # 0 is the unknown piece: never looked up
        node = root
        for byte in pieces[piece_id]:
            node = node.children.setdefault(byte, Node())
        node.piece = piece_id
    return root


def inner_nodes(root):
    """Those with children, depth first."""
    found, stack = [], [root]
    while stack:
        node = stack.pop()
        if node.children:
            found.append(node)
            stack.extend(node.children[b] for b in sorted(node.children, reverse=True))
    return found


class DoubleArray:
    """A node's child with label b stands at base + b. No two nodes have the same base, so that the
    label alone tells whose child a unit is."""

    def __init__(self, root):
        self.units, self.taken, self.bases, self.first_free = [], bytearray(), set(), 1
        self.put(0, FREE)
        nodes = inner_nodes(root)
        bases, hint, last_count = {}, 1, 0
        for node in sorted(nodes, key=lambda n: -len(self.labels(n))):  # stable: else depth first
            labels = self.labels(node)
            if len(labels) != last_count or len(labels) == 1:
                last_count, hint = len(labels), self.first_free
            base = self.place(labels, hint)
            hint = base + labels[0]
            bases[id(node)] = base
            self.bases.add(base)
            for label in labels:
                self.put(base + label, FREE)
        for node in nodes:
            base = bases[id(node)]
            if 0 in self.labels(node):
                self.units[base] = FREE | node.piece << 10
            for label, child in node.children.items():
                child.slot = base + label
        for node in nodes:
            ends = ENDS if node.piece is not None else 0
            self.units[node.slot] = (FREE if node is root else 0) | ends | bases[id(node)] << 10
        for node in nodes:
            for label, child in node.children.items():
                if child.children:
                    self.units[child.slot] |= label
                else:
                    self.units[child.slot] = label | LEAF | child.piece << 10

    @staticmethod
    def labels(node):
        own = [0] if node.piece is not None else []
        return own + sorted(node.children)

    def put(self, slot, unit):
        while slot >= len(self.units):
            self.units.append(FREE)
            self.taken.append(0)
        self.units[slot], self.taken[slot] = unit, 1
        while self.first_free < len(self.taken) and self.taken[self.first_free]:
            self.first_free += 1

    def place(self, labels, hint):
        slot = hint
        while True:
            slot = self.taken.find(0, slot)
            if slot < 0:
                slot = len(self.taken)
            base = slot - labels[0]
            if base > 0 and base not in self.bases and all(
                    base + b >= len(self.taken) or not self.taken[base + b] for b in labels):
                return base
            if slot >= len(self.taken):
                self.units.append(FREE)
                self.taken.append(0)
            slot += 1


# ---- the character map

def compositions():
    """(first, second): what NFC makes of the two."""
    pairs = {}
    for point in range(0x110000):
        parts = unicodedata.decomposition(chr(point)).split()
        if len(parts) != 2 or parts[0].startswith("<"):
            continue
        first, second = (int(part, 16) for part in parts)
        if unicodedata.normalize("NFC", chr(first) + chr(second)) == chr(point):
            pairs[first, second] = point
    return pairs


def map_sections(fitted):
    pairs = compositions()
    entries, texts, known, value = [], bytearray(), {}, {}
    for point, text in sorted(fitted.map.items()):
        if text not in known:
            known[text] = len(entries)
            entries.append(len(texts) << 8 | len(text))
            texts += text
        value[point] = known[text] + 1
    hangul = [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]  # vowels and last consonants
    for second in {second for _, second in pairs} | set(hangul):
        value[second] = value.get(second, 0) | COMBINES
    assert len(entries) < COMBINES
    blocks, numbers, index = bytearray(), {}, []
    for block in range(max(value) // MAP_BLOCK + 1):
        points = range(block * MAP_BLOCK, (block + 1) * MAP_BLOCK)
        content = struct.pack(f"<{MAP_BLOCK}H", *(value.get(point, 0) for point in points))
        if content not in numbers:
            numbers[content] = len(numbers)
            blocks += content
        index.append(numbers[content])
    composed = b"".join(struct.pack("<III", *pair, point) for pair, point in sorted(pairs.items()))
    return [struct.pack(f"<{len(index)}H", *index), bytes(blocks),
            struct.pack(f"<{len(entries)}I", *entries), bytes(texts), composed]


# ---- rows in 4 bits

def half(value):
    return struct.unpack("<e", struct.pack("<e", value))[0]


def rounding(step):
    """What int8 values become in steps of `step`: the 4 bits, and the squared error."""
    numbers, errors = bytearray(256), [0.0] * 256
    for value in range(-127, 128):
        q = max(-8, min(7, round(value / step)))
        numbers[value & 0xFF], errors[value & 0xFF] = q + 8, (value - q * step) ** 2
    return bytes(numbers), errors


class Roundings:
    """For each farthest value of a group, the steps that are tried. It may become -8, of which the
    other side has none: hence steps below zero."""
    FACTORS = (1.0, 0.95, 0.9, 0.85, 0.8, 0.75)

    def __init__(self):
        self.of = {}

    def tried(self, farthest):
        if farthest not in self.of:
            steps = [farthest / -8 * factor for factor in self.FACTORS]
            self.of[farthest] = [(step, *rounding(step)) for step in steps]
        return self.of[farthest]


def packed_rows(fitted):
    roundings, out, nothing = Roundings(), bytearray(), bytes([8]) * GROUP
    for i in range(fitted.pieces_n):
        numbers, scales = bytearray(), []
        for at in range(i * fitted.dims, (i + 1) * fitted.dims, GROUP):
            group = fitted.rows[at:at + GROUP]
            farthest = max(memoryview(group).cast("b"), key=abs)
            if farthest == 0 or fitted.scales[i] == 0:
                scales.append(0.0)
                numbers += nothing
                continue
            step, table, _ = min(roundings.tried(farthest),
                                 key=lambda tried: sum(map(tried[2].__getitem__, group)))
            scales.append(fitted.scales[i] * step * SCALE_UP)
            numbers += group.translate(table)
        for at in range(0, fitted.dims, GROUP):
            for lane in range(LANES):
                word = numbers[at + lane:at + GROUP:LANES]
                out += bytes(low | high << 4 for low, high in zip(word[::2], word[1::2]))
        out += struct.pack(f"<{len(scales)}e", *scales)
    return bytes(out)


# ---- the file

def kartei_hash(domain, data):
    """As crypto/hash.h."""
    state = hashlib.blake2b(digest_size=32)
    for part in (domain, data):
        state.update(struct.pack("<Q", len(part)))
        state.update(part)
    return state.digest()


def whole(score):
    scaled = score * SCORE_ONE
    assert scaled == int(scaled), score
    return int(scaled)


def pack(directory, target):
    fitted = Fitted(directory)
    units = DoubleArray(trie_of(fitted.pieces)).units
    assert len(units) < 1 << 22
    sections = map_sections(fitted) + [
        struct.pack(f"<{len(units)}I", *units),
        struct.pack(f"<{fitted.pieces_n}i", *(whole(s) for s in fitted.scores)),
        packed_rows(fitted)]
    places, payload = [], bytearray()
    for section in sections:
        payload += bytes(-len(payload) % 64)
        places += [HEADER + len(payload), len(section)]
        payload += section
    header = struct.pack("<8sIIIIiIQ40s", b"KTMODEL\0", 1, fitted.dims, fitted.pieces_n,
                         max(map(len, fitted.pieces)), whole(fitted.unknown), 0,
                         HEADER + len(payload), NAME)
    header += struct.pack(f"<{len(places)}Q", *places) + kartei_hash(b"kartei model", payload)
    header += kartei_hash(b"kartei model header", header)[:16]
    assert len(header) == HEADER
    with open(target, "wb") as out:
        out.write(header + payload)
    print(f"{target}: {len(header) + len(payload)} bytes, {len(units)} units, sections "
          f"{[len(s) for s in sections]}")


# ---- the slow reference

class Reference:
    def __init__(self, directory):
        self.fitted = Fitted(directory)
        self.ids = {p.decode(): i for i, p in enumerate(self.fitted.pieces) if i}
        self.map = {point: text.decode() for point, text in self.fitted.map.items()}

    def normalised(self, text):
        spaced = "".join(self.map.get(ord(c), c) for c in unicodedata.normalize("NFC", text))
        single = "".join(c for i, c in enumerate(spaced) if c != " " or not i or spaced[i - 1] != " ")
        marked = single.replace(" ", "\u2581")
        return marked if marked.startswith("\u2581") else "\u2581" + marked

    def tokenize(self, text):
        text = self.normalised(text)
        best, back = [0.0] + [-math.inf] * len(text), [None] * (len(text) + 1)

        def offer(begin, end, piece, score):
            if best[begin] + score > best[end]:
                best[end], back[end] = best[begin] + score, (begin, piece)

        for i in range(len(text)):
            for j in range(i + 1, min(len(text), i + self.fitted.longest) + 1):
                piece = self.ids.get(text[i:j])
                if piece is not None:
                    offer(i, j, piece, self.fitted.scores[piece])
                elif j == i + 1:
                    offer(i, j, 0, self.fitted.unknown)
        found, at = [], len(text)
        while at > 0:
            at, piece = back[at]
            found.append(piece)
        return found[::-1]

    def vector(self, ids):
        total = [0.0] * self.fitted.dims
        for i in ids:
            total = [a + b for a, b in zip(total, self.fitted.row(i))]
        return unit(total)


def unit(vector):
    length = math.sqrt(sum(v * v for v in vector))
    return [v / length for v in vector] if length > 0 else vector


def vectors(directory, sentences, target):
    """Piece ids, and the vectors of the table as it was fitted: bytes of 127 at the largest."""
    reference, out = Reference(directory), []
    for text in json.load(open(sentences, encoding="utf-8")):
        ids = reference.tokenize(text)
        vector = reference.vector(ids)
        largest = max(map(abs, vector)) or 1.0
        packed = bytes(round(v / largest * 127) & 0xFF for v in vector).hex()
        out.append({"text": text, "ids": ids, "vector": packed})
    with open(target, "w", encoding="utf-8") as file:
        lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in out)
        file.write("[\n" + lines + "\n]\n")


def compare(directory, packed, sentences):
    """The cosine of the packed table's vectors to those of the table as it was fitted."""
    reference, data = Reference(directory), open(packed, "rb").read()
    rows = struct.unpack_from("<Q", data, 80 + 7 * 16)[0]
    dims = reference.fitted.dims
    size = dims // 2 + dims // GROUP * 2

    def packed_row(i):
        row = data[rows + i * size:rows + (i + 1) * size]
        scales, out = struct.unpack(f"<{dims // GROUP}e", row[dims // 2:]), []
        for group, scale in enumerate(scales):
            words = struct.unpack_from(f"<{LANES}I", row, group * GROUP // 2)
            out += [((word >> 4 * k & 15) - 8) * scale for k in range(8) for word in words]
        return out

    cosines = []
    for text in json.load(open(sentences, encoding="utf-8")):
        ids = reference.tokenize(text)
        total = [sum(column) for column in zip(*(packed_row(i) for i in ids))]
        cosines.append(sum(a * b for a, b in zip(unit(total), reference.vector(ids))))
    cosines.sort()
    print(f"{len(cosines)} texts: cosine at least {cosines[0]:.4f}, "
          f"median {cosines[len(cosines) // 2]:.4f}")


if __name__ == "__main__":
    commands = {"pack": (pack, 2), "vectors": (vectors, 3), "compare": (compare, 3)}
    chosen, count = commands.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if chosen is None or len(sys.argv) != 2 + count:
        sys.exit(__doc__)
    chosen(*sys.argv[2:])
