#!/usr/bin/env python3
"""Reads a Graben store and writes what `graben dump --json` writes.

Written from Documentation/FileFormat.md and Documentation/ModelFormat.md alone, with nothing but Python's standard library, to show
that they say enough: it shares no code with Graben and knows nothing of the index beside a store.

    graben_reader.py STORE                   the store's objects as JSON
    graben_reader.py STORE --against FILE    compare with what `graben dump STORE --json` wrote; exit status 1 where they differ

Exit status: 0 done, 1 differences, 65 a damaged store (what comes before the damage is written) or none, 66 no such file.
"""

import base64
import datetime
import decimal
import json
import math
import struct
import sys

HEADER, FRAME, BLOCK, SLOTS = 4096, 64, 16384, 1024
MAGIC = bytes([0x89, 0x47, 0x52, 0x42, 0x0D, 0x0A, 0x1A, 0x0A])
FRAME_MAGIC = 0x4D524647
PAYLOAD_LIMIT = (1 << 30) + (1 << 26)
VERSIONS = (1,)


class Malformed(Exception):
    """Bytes that do not follow the format though their checksum is right."""


class NotAStore(Exception):
    pass


# Checksums and compression


def _table():
    table = []
    for number in range(256):
        for _ in range(8):
            number = number >> 1 ^ (0x82F63B78 if number & 1 else 0)
        table.append(number)
    return table


CRC = _table()


def crc32c(data, crc=0):
    crc ^= 0xFFFFFFFF
    table = CRC
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def lz4_block(data, length):
    """Decompresses an LZ4 block that comes to just so many bytes."""
    if length > len(data) * 255:
        raise Malformed("a decompressed length that no block can have")
    out = bytearray()
    place = 0

    def more(count):
        nonlocal place
        if count == 15:
            while True:
                if place >= len(data):
                    raise Malformed("an LZ4 block ends too early")
                byte = data[place]
                place += 1
                count += byte
                if byte != 255:
                    break
        return count

    while place < len(data):
        token = data[place]
        place += 1
        literals = more(token >> 4)
        if place + literals > len(data):
            raise Malformed("an LZ4 block ends too early")
        out += data[place : place + literals]
        place += literals
        if place == len(data):
            break
        if place + 2 > len(data):
            raise Malformed("an LZ4 block ends too early")
        distance = data[place] | data[place + 1] << 8
        place += 2
        count = more(token & 15) + 4
        if distance == 0 or distance > len(out) or len(out) + count > length:
            raise Malformed("an LZ4 block copies what is not there")
        for _ in range(count):
            out.append(out[-distance])
    if len(out) != length:
        raise Malformed("an LZ4 block of another length")
    return bytes(out)


# Reading numbers


class Reader:
    def __init__(self, data, place=0, end=None):
        self.data, self.place, self.end = data, place, len(data) if end is None else end

    @property
    def remaining(self):
        return self.end - self.place

    def bytes(self, count):
        if count < 0 or count > self.remaining:
            raise Malformed("it ends too early")
        self.place += count
        return self.data[self.place - count : self.place]

    def byte(self):
        return self.bytes(1)[0]

    def number(self, form):
        return struct.unpack("<" + form, self.bytes(struct.calcsize("<" + form)))[0]

    def varint(self, bits=64):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
            if shift > 63:
                raise Malformed("an integer is longer than its type")
        if value >> bits:
            raise Malformed("a number is out of range")
        return value

    def signed(self):
        return unzigzag(self.varint())

    def string(self):
        return self.bytes(self.varint()).decode("utf-8")


def unzigzag(number):
    return number >> 1 ^ -(number & 1)


def cbor(reader, depth=0):
    if depth >= 64:
        raise Malformed("a tree is nested too deep")
    first = reader.byte()
    major, short = first >> 5, first & 31
    if major == 7:
        if short in (20, 21, 22):
            return {20: False, 21: True, 22: None}[short]
        if short == 27:
            return struct.unpack(">d", reader.bytes(8))[0]
        raise Malformed("a tree holds something unknown")
    if short < 24:
        count = short
    elif short < 28:
        count = int.from_bytes(reader.bytes(1 << short - 24), "big")
    else:
        raise Malformed("a tree holds something of no definite length")
    if major == 0:
        return count
    if major == 1:
        return -1 - count
    if major == 2:
        return bytes(reader.bytes(count))
    if major == 3:
        return reader.bytes(count).decode("utf-8")
    if major == 4:
        return [cbor(reader, depth + 1) for _ in range(count)]
    if major == 5:
        return {cbor(reader, depth + 1): cbor(reader, depth + 1) for _ in range(count)}
    raise Malformed("a tree holds something unknown")


# The log


class Frame:
    """A frame whose header and table are right; None of it is used before its block has been compared."""

    def __init__(self, data, offset, salt):
        if offset + FRAME > len(data):
            raise ValueError
        (magic, self.kind, self.flags, zero, its_salt, its_offset, self.length, self.metadata, self.commit, self.part, self.before,
         self.durable, _, crc) = struct.unpack_from("<IBBHQQIIQIIQII", data, offset)
        if magic != FRAME_MAGIC or its_salt != salt or its_offset != offset or self.kind not in (1, 2) or self.flags > 1:
            raise ValueError
        self.offset, self.payload = offset, offset + FRAME
        self.blocks = (self.length + BLOCK - 1) // BLOCK
        table = self.payload + (self.length + 7) // 8 * 8
        self.end = table + (self.blocks * 4 + 7) // 8 * 8
        if self.length > PAYLOAD_LIMIT or self.end > len(data) or self.durable > offset or self.metadata > self.length:
            raise ValueError
        self.table = data[table : table + self.blocks * 4]
        if crc32c(self.table, crc32c(data[offset : offset + 60])) != crc:
            raise ValueError
        self.has_mark = self.flags & 1 == 1

    def first_bad_block(self, data):
        for block in range(self.blocks):
            start = self.payload + block * BLOCK
            size = min(BLOCK, self.length - block * BLOCK)
            if crc32c(data[start : start + size]) != struct.unpack_from("<I", self.table, block * 4)[0]:
                return start
        return None


class Log:
    """The frames of a file, up to where the log ends, and what that end is."""

    def __init__(self, data):
        self.data = data
        self.damage = None
        if len(data) < HEADER or data[:8] != MAGIC:
            raise NotAStore("it does not begin as a store")
        version, flags = struct.unpack_from("<II", data, 8)
        if crc32c(data[: HEADER - 4]) != struct.unpack_from("<I", data, HEADER - 4)[0]:
            raise NotAStore("the checksum of its header is wrong")
        if version not in VERSIONS or flags != 0:
            raise NotAStore(f"it is of version {version}, flags {flags}")
        self.uuid = data[16:32].hex()
        self.uuid = "-".join([self.uuid[:8], self.uuid[8:12], self.uuid[12:16], self.uuid[16:20], self.uuid[20:]])
        self.epoch, self.salt = struct.unpack_from("<QQ", data, 32)
        if struct.unpack_from("<I", data, 56)[0] != SLOTS:
            raise NotAStore("its chunks have another size")
        self.commits = self._commits()

    def _frame(self, offset):
        try:
            return Frame(self.data, offset, self.salt)
        except ValueError:
            return None

    def _commits(self):
        frames, offset, part = [], HEADER, 0
        following = 1 if self.epoch == 1 else None
        while True:
            frame = self._frame(offset)
            if frame is None:
                break
            if frame.kind == 1:
                if frame.part != part or frame.commit < 1 or (following is not None and frame.commit != following):
                    break
                if part > 0 and frame.before not in (0, crc32c(frames[-1].table)):
                    break
                following = frame.commit + 1 if frame.has_mark else frame.commit
                part = 0 if frame.has_mark else part + 1
            elif part != 0 or frame.commit + 1 != following or frame.length != 0:
                break
            frames.append(frame)
            offset = frame.end
        end = offset
        durable = max([frame.durable for frame in frames], default=0)
        rest = self.data[end:]
        place = rest.find(b"GFRM")
        while place >= 0:
            if (end + place) % 8 == 0:
                later = self._frame(end + place)
                if later is not None:
                    durable = max(durable, later.durable)
            place = rest.find(b"GFRM", place + 1)
        if durable > end:
            self.damage = f"byte {end}: there is no valid frame, though bytes up to {durable} were once durable"
        self.durable = durable
        commits, parts = [], []
        for frame in frames:
            bad = frame.first_bad_block(self.data)
            if bad is not None:
                if durable > frame.offset:
                    self.damage = f"byte {bad}: the checksum of a block is wrong"
                break
            if frame.kind != 1:
                continue
            parts.append(frame)
            if frame.has_mark:
                commits.append(parts)
                parts = []
        return commits


# What the log comes to


KINDS = {1: "bool", 2: "int16", 3: "int32", 4: "int64", 5: "float", 6: "double", 7: "decimal", 8: "date", 9: "uuid", 10: "string",
         11: "data", 12: "uri", 13: "json", 14: "reference", 15: "polymorphic"}
INTEGERS = ("bool", "int16", "int32", "int64", "reference", "polymorphic")


class Layout:
    def __init__(self, tree):
        self.number, self.entity = tree["number"], tree["entity"]
        self.fields = [(field["name"], KINDS[field["kind"]], field.get("optional", False), field.get("destination")) for field in tree["fields"]]
        self.lanes = [
            (lane["name"], lane["width"], lane.get("optional", False), lane["default"] & 0xFFFFFFFFFFFFFFFF if "default" in lane else None)
            for lane in tree["lanes"]
        ]


def number_of(bits, width):
    """The number that a lane's bits are."""
    return struct.unpack("<d" if width == 8 else "<f", (bits & (1 << width * 8) - 1).to_bytes(width, "little"))[0]


class Store:
    def __init__(self, log):
        self.log = log
        commits = log.commits
        while True:
            try:
                return self._replay(commits)
            except (ArithmeticError, AttributeError, LookupError, Malformed, RecursionError, TypeError, ValueError, struct.error) as error:
                # Contents that do not follow the format end the log before their commit, as a bad block does. What was applied of them is
                # undone by beginning anew.
                first = commits[self.applied][0].offset
                if log.durable > first:
                    log.damage = f"byte {first}: the contents of a commit cannot be read: {error}"
                commits = commits[: self.applied]

    def _replay(self, commits):
        self.applied = 0
        self.catalog = None
        self.layouts = {}
        self.highest = {}
        # Of each entity's code: rows to records, and rows to {lane: number or None}.
        self.records, self.columns = {}, {}
        # Where each row was first written, to know whether it is older than its entity's lanes.
        self.links = {}
        for parts in commits:
            for frame in parts:
                self._apply(frame)
            self.applied += 1

    def _apply(self, frame):
        reader = Reader(self.log.data, frame.payload, frame.payload + frame.length)
        while reader.remaining:
            kind, length = reader.byte(), reader.number("I")
            start = reader.place
            reader.bytes(length)
            section = Reader(self.log.data, start, start + length)
            apply = {1: self._metadata, 2: self._catalog, 3: self._records, 4: self._patch, 5: self._chunk, 6: self._links, 7: self._followers,
                     8: self._record_block}.get(kind)
            if apply is None:
                raise Malformed(f"a section of the unknown kind {kind}")
            apply(section)

    def _metadata(self, reader):
        reader.number("d")
        reader.string()
        for _ in range(6):
            reader.varint()
        for _ in range(reader.varint()):
            entity, row = reader.varint(16), reader.varint(32)
            self.highest[entity] = max(self.highest.get(entity, -1), row)

    def _catalog(self, reader):
        tree = cbor(reader)
        if self.catalog is not None and tree["version"] <= self.catalog["version"]:
            raise Malformed("a catalog that is no newer than the one before")
        self.catalog = tree
        for item in tree["layouts"]:
            self.layouts.setdefault(item["number"], Layout(item))

    def _layout(self, number):
        if number not in self.layouts:
            raise Malformed(f"layout {number} is unknown")
        return self.layouts[number]

    def newest(self, entity):
        return max((layout for layout in self.layouts.values() if layout.entity == entity), key=lambda layout: layout.number)

    # Records

    def _record_block(self, reader):
        length = reader.varint()
        if not 1 <= length <= 16384:
            raise Malformed("a block of records of an impossible length")
        self._records(Reader(lz4_block(bytes(reader.bytes(reader.remaining)), length)))

    def _records(self, reader):
        while reader.remaining:
            length = reader.varint()
            start = reader.place
            reader.bytes(length)
            record = Reader(reader.data, start, start + length)
            layout, row, flags = self._layout(record.varint(32)), record.varint(32), record.byte()
            rows = self.records.setdefault(layout.entity, {})
            if flags & 4:
                rows.pop(row, None)
            else:
                rows[row] = (layout, self._values(record, layout, flags))
            self.highest[layout.entity] = max(self.highest.get(layout.entity, -1), row)

    def _values(self, reader, layout, flags):
        if flags & ~7:
            raise Malformed("a record with unknown flags")
        if not flags & 1:
            reader.bytes((len(layout.fields) + 7) // 8)
        optional = [field for field in layout.fields if field[2]]
        nulls = set()
        if flags & 2:
            bitmap = reader.bytes((len(optional) + 7) // 8)
            nulls = {field[0] for index, field in enumerate(optional) if bitmap[index // 8] >> index % 8 & 1}
        values = {name: None for name, _, _, _ in layout.fields}
        present = [field for field in layout.fields if field[0] not in nulls]
        integers = [field for field in present if field[1] in INTEGERS]
        counts = reader.bytes((len(integers) + 1) // 2)
        for index, (name, kind, _, destination) in enumerate(integers):
            number = int.from_bytes(reader.bytes(counts[index // 2] >> index % 2 * 4 & 15), "little")
            if kind == "bool":
                values[name] = number != 0
            elif kind == "reference":
                values[name] = (destination, number)
            elif kind == "polymorphic":
                values[name] = (number & 0xFFFF, number >> 16)
            else:
                values[name] = unzigzag(number)
        for kinds, form in ((("double", "date"), "d"), (("float",), "f")):
            for name, kind, _, _ in present:
                if kind in kinds:
                    values[name] = reader.number(form)
        for name, kind, _, _ in present:
            if kind == "uuid":
                values[name] = reader.bytes(16)
        for name, kind, _, _ in present:
            if kind not in ("string", "data", "uri", "json", "decimal"):
                continue
            length = reader.varint()
            data = bytes(reader.bytes(length >> 1))
            if length & 1:
                packed = Reader(data)
                data = lz4_block(data[packed.place :], size) if (size := packed.varint()) >= 0 else b""
            values[name] = data
        if reader.remaining:
            raise Malformed("a record is longer than its fields")
        return values

    # Columns

    def _rows(self, reader, limit):
        count = reader.varint()
        if count > limit:
            raise Malformed("too many rows")
        if count == 0:
            return []
        form, rows = reader.byte(), [reader.varint(32)]
        if form == 0:
            return list(range(rows[0], rows[0] + count))
        for _ in range(count - 1):
            rows.append(rows[-1] + reader.signed())
        return rows

    def _put(self, layout, lanes, rows, numbers):
        columns = self.columns.setdefault(layout.entity, {})
        for row in rows:
            if row not in columns:
                columns[row] = self._before(layout, row)
            self.highest[layout.entity] = max(self.highest.get(layout.entity, -1), row)
        for lane, values in zip(lanes, numbers):
            for row, value in zip(rows, values):
                columns[row][layout.lanes[lane][0]] = value

    def _before(self, layout, row):
        """What a row has in lanes that nothing has been written of."""
        return {}

    def _patch(self, reader):
        layout = self._layout(reader.varint(32))
        lanes = [reader.varint() for _ in range(reader.varint())]
        rows = self._rows(reader, 65536)
        numbers = []
        for lane in lanes:
            _, width, is_optional, _ = layout.lanes[lane]
            valid = reader.bytes((len(rows) + 7) // 8) if is_optional else None
            values = struct.unpack(f"<{len(rows)}{'d' if width == 8 else 'f'}", reader.bytes(len(rows) * width))
            numbers.append([None if valid and not valid[i // 8] >> i % 8 & 1 else value for i, value in enumerate(values)])
        self._put(layout, lanes, rows, numbers)

    def _chunk(self, reader):
        layout = self._layout(reader.varint(32))
        rows = self._rows(reader, SLOTS)
        reader.place += -reader.place % 64
        numbers, place = [], reader.place
        validity = place + sum(SLOTS * lane[1] for lane in layout.lanes)
        for _, width, is_optional, _ in layout.lanes:
            values = struct.unpack_from(f"<{len(rows)}{'d' if width == 8 else 'f'}", reader.data, place)
            place += SLOTS * width
            if is_optional:
                bits = reader.data[validity : validity + SLOTS // 8]
                validity += SLOTS // 8
                values = [value if bits[i // 8] >> i % 8 & 1 else None for i, value in enumerate(values)]
            numbers.append(list(values))
        if (validity + 63) // 64 * 64 != reader.end:
            raise Malformed("a chunk has another length than its layout says")
        self._put(layout, range(len(layout.lanes)), rows, numbers)

    def packed(self, entity, row, name):
        """A packed attribute of a row; what was never written is what the lane's first layout says."""
        values = self.columns.get(entity, {}).get(row, {})
        if name in values:
            return self._as_wide(entity, name, values[name])
        for layout in sorted(self.layouts.values(), key=lambda layout: layout.number):
            for lane, width, is_optional, default in layout.lanes:
                if layout.entity == entity and lane == name:
                    if default is not None:
                        return self._as_wide(entity, name, number_of(default, width))
                    return None if is_optional else 0.0
        return None

    def _as_wide(self, entity, name, value):
        """A number in the width that the newest layout gives the lane."""
        width = next(lane[1] for lane in self.newest(entity).lanes if lane[0] == name)
        if value is None or width == 8 or math.isnan(value) or math.isinf(value):
            return value
        try:
            return struct.unpack("<f", struct.pack("<f", value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)

    # Links

    def _links(self, reader):
        while reader.remaining:
            code, removed = reader.varint(16), reader.byte()
            owner, member = (reader.varint(16), reader.varint(32)), (reader.varint(16), reader.varint(32))
            order = reader.signed()
            links = self.links.setdefault(code, {})
            if removed:
                links.pop((owner, member), None)
            else:
                links[owner, member] = order

    def _followers(self, reader):
        while reader.remaining:
            reader.varint(16), reader.varint(32), reader.bytes(reader.varint())


# The model and its objects


class Model:
    """Entities with all their properties, inherited ones first."""

    def __init__(self, tree):
        self.entities = tree["entities"]
        self.index = {entity["name"]: number for number, entity in enumerate(self.entities)}
        self.composites = {composite["name"]: composite for composite in tree.get("composites", [])}

    def lineage(self, entity):
        chain = [entity]
        while chain[0].get("superentity"):
            chain.insert(0, self.entities[self.index[chain[0]["superentity"]]])
        return chain

    def properties(self, entity):
        """Pairs of the entity that declares a property, and the property."""
        for declaring in self.lineage(entity):
            for attribute in declaring.get("attributes", []):
                if not attribute.get("transient"):
                    yield declaring, attribute
            for relationship in declaring.get("relationships", []):
                yield declaring, relationship

    def relationship(self, entity_name, name):
        for relationship in self.entities[self.index[entity_name]].get("relationships", []):
            if relationship["name"] == name:
                return relationship
        return None

    def descendants(self, name):
        return [entity for entity in self.entities if name in [above["name"] for above in self.lineage(entity)]]

    def default(self, attribute):
        if attribute.get("composite") and "default" not in attribute:
            return self._composite_default(attribute["composite"])
        return attribute.get("default")

    def _composite_default(self, name):
        return None


class Dump:
    def __init__(self, store):
        self.store = store
        self.model = Model(store.catalog["model"])
        self.codes = {entity["name"]: entity["code"] for entity in store.catalog["entities"]}
        self.names = {code: name for name, code in self.codes.items()}
        self.link_codes = {link["name"]: (link["code"], link.get("ordered", False)) for link in store.catalog["links"]}
        self.reverse = {}
        self.by_owner, self.by_member = {}, {}
        for code, links in store.links.items():
            for (owner, member), order in links.items():
                self.by_owner.setdefault((code, owner), []).append((order, member))
                self.by_member.setdefault((code, member), []).append(owner)

    def uri(self, key):
        return f"graben://{self.store.log.uuid}/{self.names[key[0]]}/{key[1]}"

    def known(self, key):
        return key[0] in self.names and self.names[key[0]] in self.model.index

    def in_order_of_ids(self, keys):
        keys = {key for key in keys if self.known(key)}
        return sorted(keys, key=lambda key: (self.model.index[self.names[key[0]]], key[1]))

    def document(self):
        return {
            entity["name"]: [self.object(entity, row) for row in sorted(self.store.records.get(self.codes.get(entity["name"]), {}))]
            for entity in self.model.entities
            if not entity.get("abstract")
        }

    def object(self, entity, row):
        code = self.codes[entity["name"]]
        layout, values = self.store.records[code][row]
        properties = list(self.model.properties(entity))
        fetched = [item["name"] for above in self.model.lineage(entity) for item in above.get("fetchedProperties", [])]
        transient = [item["name"] for above in self.model.lineage(entity) for item in above.get("attributes", []) if item.get("transient")]
        taken = [item["name"] for _, item in properties] + fetched + transient
        result = {"$id" if "id" in taken else "id": self.uri((code, row))}
        for declaring, item in properties:
            name = item["name"]
            if "destination" in item:
                result[name] = self.related((code, row), declaring, item, values)
            elif item.get("packed"):
                result[name] = floating(self.store.packed(code, row, name), 8 if item["type"] == "double" else 4)
            elif name in values:
                result[name] = plain(values[name], self.kind(layout, name))
            else:
                result[name] = default(self.model.default(item), item["type"])
        return result

    def kind(self, layout, name):
        return next(kind for field, kind, _, _ in layout.fields if field == name)

    # Relationships

    def related(self, key, declaring, item, values):
        if not item.get("toMany"):
            target = values.get(item["name"])
            return self.uri(target) if target is not None and self.known(target) else None
        return [self.uri(member) for member in self.members(key, declaring, item)]

    def members(self, key, declaring, item):
        inverse = self.model.relationship(item["destination"], item["inverse"]) if item.get("inverse") else None
        if inverse is not None and not inverse.get("toMany") and not item.get("ordered"):
            return self.in_order_of_ids(self.sources(item["destination"], inverse["name"]).get(key, []))
        mine, other = f"{declaring['name']}.{item['name']}", f"{item['destination']}.{inverse['name']}" if inverse else None
        if inverse is None or item.get("ordered") or not inverse.get("toMany"):
            is_owner = True
        elif inverse.get("ordered"):
            is_owner = False
        else:
            # Names compare as their Unicode scalars do.
            is_owner = (declaring["name"], item["name"]) <= (item["destination"], inverse["name"])
        if mine == other:
            code, _ = self.link_codes[mine]
            return self.in_order_of_ids(self.owned(code, key) + self.by_member.get((code, key), []))
        if not is_owner:
            return self.in_order_of_ids(self.by_member.get((self.link_codes[other][0], key), []))
        code, _ = self.link_codes[mine]
        if item.get("ordered"):
            return [member for member in self.owned(code, key) if self.known(member)]
        return self.in_order_of_ids(self.owned(code, key))

    def owned(self, code, key):
        return [member for _, member in sorted(self.by_owner.get((code, key), []))]

    def sources(self, destination, field):
        """The objects that refer by a field, by what they refer to."""
        if (destination, field) not in self.reverse:
            found = {}
            for entity in self.model.descendants(destination):
                code = self.codes.get(entity["name"])
                for row, (_, values) in self.store.records.get(code, {}).items():
                    if values.get(field) is not None:
                        found.setdefault(values[field], []).append((code, row))
            self.reverse[destination, field] = found
        return self.reverse[destination, field]


# Values as JSON


class Float32(float):
    """A number that is written in as few digits as tell it from other floats."""


def floating(value, width=8):
    if value is None:
        return None
    if math.isnan(value):
        return {"$double": "nan"}
    if math.isinf(value):
        return {"$double": "inf" if value > 0 else "-inf"}
    return Float32(value) if width == 4 else value


def date(seconds):
    """ISO 8601 where that is exact with nine decimals at most, else the seconds."""
    if not math.isfinite(seconds):
        return {"$date": floating(seconds)}
    epoch = datetime.datetime(2001, 1, 1)
    whole = math.floor(seconds)
    if -63113904000 <= seconds < 252423993600:
        text = (epoch + datetime.timedelta(seconds=whole)).isoformat(timespec="seconds")
        if whole == seconds and not (seconds == 0 and math.copysign(1, seconds) < 0):
            return text + "Z"
        for digits in range(1, 10):
            scale = 10.0**digits
            part = (seconds - whole) * scale
            part = math.floor(part + 0.5)
            if part >= scale:
                continue
            if whole + part / scale == seconds and seconds != 0:
                return f"{text}.{int(part):0{digits}}Z"
    return {"$date": seconds}


def plain(value, kind):
    if value is None or kind in ("bool", "int16", "int32", "int64"):
        return value
    if kind in ("double", "float"):
        return floating(value, 4 if kind == "float" else 8)
    if kind == "date":
        return date(value)
    if kind == "uuid":
        text = value.hex().upper()
        return "-".join([text[:8], text[8:12], text[12:16], text[16:20], text[20:]])
    if kind in ("string", "uri"):
        return value.decode("utf-8")
    if kind == "data":
        return {"$data": base64.b64encode(value).decode()}
    if kind == "json":
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return {"$data": base64.b64encode(value).decode()}
    if kind == "decimal":
        sign, exponent, magnitude = value[0], struct.unpack("b", value[1:2])[0], int.from_bytes(value[2:], "little")
        if sign == 2:
            return {"$decimal": "NaN"}
        return {"$decimal": format(decimal.Decimal((sign, tuple(map(int, str(magnitude))), exponent)), "f")}
    raise Malformed(f"a value of kind {kind}")


def default(tree, kind):
    """A default of the model, which is written as ModelFormat.md says, as a value."""
    if tree is None:
        return None
    if kind in ("double", "float"):
        return tree if isinstance(tree, dict) else floating(float(tree), 4 if kind == "float" else 8)
    if kind == "date" and isinstance(tree, dict) and not isinstance(tree["$date"], str):
        return date(float(tree["$date"]))
    if kind == "date" and isinstance(tree, dict):
        return tree["$date"]
    if kind == "decimal" and isinstance(tree, int):
        return {"$decimal": str(tree)}
    return tree


# Comparing


def differences(mine, other, place=""):
    """What two documents say otherwise: numbers by their bits, decimals by their value."""
    if isinstance(mine, dict) and isinstance(other, dict):
        if set(mine) == {"$decimal"} == set(other) and mine["$decimal"] != other["$decimal"]:
            same = decimal.Decimal(mine["$decimal"]) == decimal.Decimal(other["$decimal"])
            return [] if same else [f"{place}: {mine} and {other}"]
        found = [f"{place}: only one has {key}" for key in set(mine) ^ set(other)]
        return found + [text for key in mine if key in other for text in differences(mine[key], other[key], f"{place}.{key}")]
    if isinstance(mine, list) and isinstance(other, list):
        found = [f"{place}: {len(mine)} and {len(other)} elements"] if len(mine) != len(other) else []
        return found + [text for i, (a, b) in enumerate(zip(mine, other)) for text in differences(a, b, f"{place}[{i}]")]
    if isinstance(mine, Float32) and isinstance(other, (int, float)) and not isinstance(other, bool):
        # The other side has as few digits as a float needs.
        return [] if struct.pack("<f", mine) == struct.pack("<f", other) else [f"{place}: {mine!r} and {other!r}"]
    if isinstance(mine, float) and isinstance(other, float):
        return [] if struct.pack("<d", mine) == struct.pack("<d", other) else [f"{place}: {mine!r} and {other!r}"]
    return [] if type(mine) == type(other) and mine == other else [f"{place}: {mine!r} and {other!r}"]


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 64
    try:
        with open(arguments[0], "rb") as file:
            data = file.read()
    except OSError as error:
        print(f"graben_reader: {error}", file=sys.stderr)
        return 66
    try:
        log = Log(data)
        store = Store(log)
        document = Dump(store).document() if store.catalog else {}
    except (Malformed, NotAStore) as error:
        print(f"graben_reader: {arguments[0]}: {error}", file=sys.stderr)
        return 65
    status = 0
    if log.damage:
        print(f"graben_reader: {arguments[0]} is damaged at {log.damage}", file=sys.stderr)
        status = 65
    if len(arguments) == 3 and arguments[1] == "--against":
        with open(arguments[2], encoding="utf-8") as file:
            other = json.load(file)
        found = differences(document, other)
        for text in found[:20]:
            print(text)
        return 1 if found else status
    json.dump(document, sys.stdout, ensure_ascii=False)
    print()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
