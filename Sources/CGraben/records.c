#include "CGrabenRecords.h"

#include <stdbool.h>
#include <string.h>

#include "varint.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are read as they are stored");

// Flags of a record's head.
enum { FLAG_INSERT = 1, FLAG_NULLS = 2, FLAGS_READ = 3 };

/// A record that is longer is left to the caller: no field is worth a loop over more units.
enum { LENGTH_LIMIT = 1 << 14 };

/// The sum of the first `count` half bytes, each at most 8; more than any record has where one is not.
GRABEN_INLINE size_t sum_of_sizes(const uint8_t *sizes, size_t count) {
    size_t total = 0;
    for (; count >= 2; count -= 2, sizes++) {
        const size_t low = *sizes & 15, high = *sizes >> 4;
        total += low <= 8 && high <= 8 ? low + high : (size_t)1 << 40;
    }
    if (count > 0) total += (*sizes & 15) <= 8 ? *sizes & 15 : (size_t)1 << 40;
    return total;
}

/// Moves behind so many variable fields; NULL where the record ends before that.
GRABEN_INLINE const uint8_t *skip_texts(const uint8_t *at, const uint8_t *end, size_t count) {
    for (; count > 0; count--) {
        uint64_t length;
        at = varint(at, end, &length);
        if (at == NULL || (uint64_t)(end - at) < length >> 1) return NULL;
        at += length >> 1;
    }
    return at;
}

/// The field that begins here.
GRABEN_INLINE int read_field(const graben_field *field, const uint8_t *at, const uint8_t *end, graben_found *found) {
    if (field->part != GRABEN_VARIABLE) {
        if ((size_t)(end - at) < field->size) return GRABEN_MALFORMED;
        found->bytes = at;
        found->count = field->size;
        return GRABEN_FOUND;
    }
    uint64_t length;
    at = varint(at, end, &length);
    if (at == NULL || (uint64_t)(end - at) < length >> 1) return GRABEN_MALFORMED;
    found->bytes = at;
    found->count = (size_t)(length >> 1);
    return length & 1 ? GRABEN_FOUND_COMPRESSED : GRABEN_FOUND;
}

/// As graben_find_field, where a field is null or there are integers before it.
static int find_behind_others(const graben_field *field, uint8_t flags, const uint8_t *at, const uint8_t *end, graben_found *found) {
    size_t skip = flags & FLAG_INSERT ? 0 : field->mask_bytes;
    uint64_t nulls = 0;
    if ((size_t)(end - at) < skip) return GRABEN_MALFORMED;
    at += skip;
    if (flags & FLAG_NULLS) {
        if ((size_t)(end - at) < field->null_bytes) return GRABEN_MALFORMED;
        for (uint32_t i = 0; i < field->null_bytes; i++) nulls |= (uint64_t)at[i] << (i * 8);
        at += field->null_bytes;
        if (nulls & field->own) return GRABEN_NULL;
    }
    size_t integers = field->integer_count, rank = field->position, fixed = field->fixed_bytes;
    if (nulls != 0) {
        integers -= (size_t)__builtin_popcountll(nulls & field->integers);
        rank -= (size_t)__builtin_popcountll(nulls & field->earlier);
        fixed -= (size_t)__builtin_popcountll(nulls & field->fixed8) * 8 + (size_t)__builtin_popcountll(nulls & field->fixed4) * 4 +
                 (size_t)__builtin_popcountll(nulls & field->fixed16) * 16;
    }
    const uint8_t *sizes = at;
    if ((size_t)(end - at) < (integers + 1) / 2) return GRABEN_MALFORMED;
    at += (integers + 1) / 2;
    if (field->part == GRABEN_INTEGERS) {
        skip = sum_of_sizes(sizes, rank);
        found->count = sizes[rank / 2] >> (rank % 2 * 4) & 15;
        if (found->count > 8 || (size_t)(end - at) < skip + found->count) return GRABEN_MALFORMED;
        found->bytes = at + skip;
        return GRABEN_FOUND;
    }
    skip = sum_of_sizes(sizes, integers) + fixed + rank * field->size;
    if ((size_t)(end - at) < skip) return GRABEN_MALFORMED;
    at += skip;
    if (field->part == GRABEN_VARIABLE) at = skip_texts(at, end, rank);
    return at == NULL ? GRABEN_MALFORMED : read_field(field, at, end, found);
}

GRABEN_INLINE int find(const graben_field *field, uint8_t flags, const uint8_t *at, const uint8_t *end, graben_found *found) {
    if (field->plain_offset < 0 || flags & FLAG_NULLS) return find_behind_others(field, flags, at, end, found);
    const size_t skip = (size_t)field->plain_offset + (flags & FLAG_INSERT ? 0 : field->mask_bytes);
    if ((size_t)(end - at) < skip) return GRABEN_MALFORMED;
    at += skip;
    if (field->part == GRABEN_VARIABLE && field->position > 0) {
        at = skip_texts(at, end, field->position);
        if (at == NULL) return GRABEN_MALFORMED;
    }
    return read_field(field, at, end, found);
}

int graben_find_field(const graben_field *field, uint8_t flags, const uint8_t *bytes, size_t count, graben_found *found) {
    return find(field, flags, bytes, bytes + count, found);
}

/// The eight bytes at the beginning of a field, of which those behind it are anything.
GRABEN_INLINE uint64_t first_eight(const graben_found *found, const uint8_t *readable_end) {
    uint64_t bits = 0;
    if (readable_end - found->bytes >= 8) {
        memcpy(&bits, found->bytes, 8);
    } else {
        memcpy(&bits, found->bytes, found->count < 8 ? found->count : 8);
    }
    return bits;
}

GRABEN_INLINE uint64_t integer(const graben_found *found, const uint8_t *readable_end) {
    const uint64_t bits = first_eight(found, readable_end);
    return found->count < 8 ? bits & (((uint64_t)1 << (found->count * 8)) - 1) : bits;
}

/// A test's text with the first eight bytes of it as a word.
typedef struct {
    const graben_test *test;
    uint64_t head, mask;
} prepared;

GRABEN_INLINE bool passes(const prepared *prepared, const graben_found *found, const uint8_t *readable_end) {
    const graben_test *test = prepared->test;
    switch (test->kind) {
        case GRABEN_TEST_F64: {
            double value;
            memcpy(&value, found->bytes, sizeof(value));
            return value >= test->low && value <= test->high;
        }
        case GRABEN_TEST_F32: {
            float value;
            memcpy(&value, found->bytes, sizeof(value));
            return (double)value >= test->low && (double)value <= test->high;
        }
        case GRABEN_TEST_INT: {
            const uint64_t bits = integer(found, readable_end);
            const int64_t value = (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
            return value >= test->least && value <= test->greatest;
        }
        case GRABEN_TEST_BOOL: {
            const int64_t value = integer(found, readable_end) != 0;
            return value >= test->least && value <= test->greatest;
        }
        case GRABEN_TEST_EQUAL:
        case GRABEN_TEST_PREFIX: {
            if (test->kind == GRABEN_TEST_EQUAL ? found->count != test->text_count : found->count < test->text_count) return false;
            if (((first_eight(found, readable_end) ^ prepared->head) & prepared->mask) != 0) return false;
            return test->text_count <= 8 || memcmp(found->bytes + 8, test->text + 8, test->text_count - 8) == 0;
        }
        default: return test->kind == GRABEN_TEST_FOUND;
    }
}

GRABEN_INLINE bool is_checked(const graben_window *window, uint64_t unit) {
    // Another thread may set it meanwhile; the bytes it speaks of never change.
    return __atomic_load_n(window->checked + unit / 64, __ATOMIC_RELAXED) >> (unit % 64) & 1;
}

/// What every record begins with.
typedef struct {
    uint64_t length, layout, row;
    uint8_t flags;
} head;

/// Reads a head of usual size, all of whose bytes lie in the eight there are from `at` on; NULL where it is another. `body` is where its length
/// counts from.
GRABEN_INLINE const uint8_t *read_short_head(const uint8_t *at, head *head, const uint8_t **body) {
    uint64_t bytes;
    memcpy(&bytes, at, 8);
    if (bytes & 0x8080) return NULL;
    head->length = bytes & 0x7F;
    head->layout = bytes >> 8 & 0x7F;
    *body = at + 1;
    bytes >>= 16;
    head->row = bytes & 0x7F;
    if ((bytes & 0x80) == 0) {
        head->flags = (uint8_t)(bytes >> 8);
        return at + 4;
    }
    head->row |= bytes >> 1 & 0x3F80;
    if ((bytes & 0x8000) == 0) {
        head->flags = (uint8_t)(bytes >> 16);
        return at + 5;
    }
    head->row |= bytes >> 2 & 0x1FC000;
    if ((bytes & 0x800000) == 0) {
        head->flags = (uint8_t)(bytes >> 24);
        return at + 6;
    }
    head->row |= bytes >> 3 & 0xFE00000;
    head->flags = (uint8_t)(bytes >> 32);
    return (bytes & 0x80000000) == 0 ? at + 7 : NULL;
}

/// Reads any head that is not cut off; NULL where it is, or malformed.
static const uint8_t *read_head(const uint8_t *at, const uint8_t *end, head *head, const uint8_t **body) {
    at = varint(at, end, &head->length);
    *body = at;
    if (at == NULL || (at = varint(at, end, &head->layout)) == NULL || (at = varint(at, end, &head->row)) == NULL || at == end) return NULL;
    head->flags = *at;
    return at + 1;
}

enum { PASSES, FAILS, LEFT, UNCHECKED };

/// The rest of a record behind its head.
typedef struct {
    uint8_t flags;
    const uint8_t *at, *end;
} contents;

/// Looks at the record of a row that a word inside the window leads to: PASSES where it is one of the layout. `known` is a unit that is checked.
GRABEN_INLINE int open_record(const graben_window *window, uint64_t word, uint32_t row, uint32_t layout, uint64_t *known,
                              contents *contents) {
    const uint8_t *at = window->bytes + (word - window->start);
    const uint8_t *readable_end = window->bytes + (window->end - window->start), *body, *start = at;
    head head;
    at = readable_end - at >= 8 ? read_short_head(start, &head, &body) : NULL;
    if (__builtin_expect(at == NULL, 0)) {
        at = read_head(start, readable_end, &head, &body);
        if (at == NULL) return LEFT;
    }
    if (head.length > LENGTH_LIMIT || head.length > (uint64_t)(readable_end - body)) return LEFT;
    const uint8_t *end = body + head.length;
    if (word < window->unchecked_end) {
        uint64_t stop = word + (uint64_t)(end - start);
        if (stop > window->unchecked_end) stop = window->unchecked_end;
        const uint64_t first = word >> window->unit_bits, last = (stop - 1) >> window->unit_bits;
        if (first != *known || last != *known) {
            for (uint64_t unit = first; unit <= last; unit++) {
                if (!is_checked(window, unit)) return UNCHECKED;
            }
            *known = last;
        }
    }
    if (head.layout != layout || head.row != row || head.flags & ~FLAGS_READ || at > end) return LEFT;
    contents->flags = head.flags;
    contents->at = at;
    contents->end = end;
    return PASSES;
}

GRABEN_INLINE int test_record(const graben_window *window, uint64_t word, uint32_t row, const graben_field *field,
                              const prepared *prepared, uint64_t *known, graben_found *found) {
    contents contents;
    const int answer = open_record(window, word, row, field->layout, known, &contents);
    if (answer != PASSES) return answer;
    switch (find(field, contents.flags, contents.at, contents.end, found)) {
        case GRABEN_FOUND: return passes(prepared, found, window->bytes + (window->end - window->start)) ? PASSES : FAILS;
        case GRABEN_NULL: return prepared->test->kind == GRABEN_TEST_NULL ? PASSES : FAILS;
        default: return LEFT;
    }
}

/// What the bytes behind the length of a record of a row are when it is an inserted one without nulls: layout, row and flags, at most six bytes. Sets
/// `bits` to how many bits that are; 0 where they are more.
GRABEN_INLINE uint64_t plain_head(uint32_t layout, uint32_t row, unsigned *bits) {
    const uint64_t low = layout | (uint64_t)(row & 0x7F) << 8;
    if (row < 1u << 7) {
        *bits = 24;
        return low | (uint64_t)FLAG_INSERT << 16;
    }
    const uint64_t two = low | 0x8000 | (uint64_t)(row >> 7 & 0x7F) << 16;
    if (row < 1u << 14) {
        *bits = 32;
        return two | (uint64_t)FLAG_INSERT << 24;
    }
    const uint64_t three = two | 0x800000 | (uint64_t)(row >> 14 & 0x7F) << 24;
    if (row < 1u << 21) {
        *bits = 40;
        return three | (uint64_t)FLAG_INSERT << 32;
    }
    *bits = row < 1u << 28 ? 48 : 0;
    return three | 0x80000000 | (uint64_t)(row >> 21) << 32 | (uint64_t)FLAG_INSERT << 40;
}

/// Whether test_plain_record has an answer for any record.
GRABEN_INLINE bool has_plain_records(const graben_field *field, const graben_test *test) {
    if (field->layout >= 0x80 || field->plain_offset < 0 || field->plain_offset > 64) return false;
    if (test->kind == GRABEN_TEST_F64) return true;
    return (test->kind == GRABEN_TEST_EQUAL || test->kind == GRABEN_TEST_PREFIX) && test->text_count <= 8 && field->position < 4;
}

/// As test_record, for the records there are most of: short ones of an insert without nulls, with short texts, far from the window's end and in the
/// unit that was checked last. LEFT for all others.
GRABEN_INLINE int test_plain_record(const graben_window *window, uint64_t word, uint32_t row, const graben_field *field,
                                    const prepared *prepared, uint64_t known) {
    if (window->end - word < 1024) return LEFT;
    const uint8_t *start = window->bytes + (word - window->start);
    uint64_t bytes, text;
    unsigned bits;
    memcpy(&bytes, start, 8);
    const uint64_t length = bytes & 0xFF, expected = plain_head(field->layout, row, &bits);
    if (length >= 0x80 || bits == 0 || ((bytes >> 8 ^ expected) & (((uint64_t)1 << bits) - 1)) != 0) return LEFT;
    if (word < window->unchecked_end && (word >> window->unit_bits != known || (word + length) >> window->unit_bits != known)) return LEFT;
    const uint8_t *at = start + 1 + bits / 8 + (size_t)field->plain_offset, *end = start + 1 + length;
    const graben_test *test = prepared->test;
    if (test->kind == GRABEN_TEST_F64) {
        double value;
        if (at + 8 > end) return LEFT;
        memcpy(&value, at, 8);
        return value >= test->low && value <= test->high ? PASSES : FAILS;
    }
    size_t size = *at;
    for (uint32_t i = 0; i < field->position; i++) {
        if (size >= 0x80) return LEFT;
        at += 1 + size / 2;
        size = *at;
    }
    if (size & 0x81 || at + 1 + size / 2 > end) return LEFT;
    memcpy(&text, at + 1, 8);
    const bool fits = test->kind == GRABEN_TEST_EQUAL ? size / 2 == test->text_count : size / 2 >= test->text_count;
    return fits && ((text ^ prepared->head) & prepared->mask) == 0 ? PASSES : FAILS;
}

GRABEN_INLINE void test_records(const graben_window *window, const graben_batch *batch, const graben_field *field,
                                const graben_test *test, const uint64_t *candidates, uint64_t *passed, uint64_t *left,
                                graben_found *found, graben_unchecked *unchecked) {
    enum { AHEAD = 12 };
    uint16_t slots[GRABEN_SLOTS_PER_CHUNK + AHEAD];
    size_t count = 0;
    prepared ready = {test, 0, 0};
    const size_t head = test->text_count < 8 ? test->text_count : 8;
    if (head > 0) {
        memcpy(&ready.head, test->text, head);
        memset(&ready.mask, 0xFF, head);
    }
    for (size_t word = 0; word < GRABEN_SLOTS_PER_CHUNK / 64; word++) {
        for (uint64_t rest = candidates[word]; rest != 0; rest &= rest - 1) {
            slots[count++] = (uint16_t)(word * 64 + (size_t)__builtin_ctzll(rest));
        }
        passed[word] = left[word] = 0;
    }
    if (count == 0) return;
    // Records of neighbours mostly follow each other, but not where rows come from an index or have been changed one by one.
    for (size_t i = 0; i < AHEAD; i++) slots[count + i] = slots[0];
    const uint64_t size = window->end - window->start;
    uint64_t known = UINT64_MAX;
    const bool has_plain = has_plain_records(field, test);
    for (size_t i = 0; i < count; i++) {
        const uint64_t ahead = batch->words[slots[i + AHEAD]] - window->start;
        if (ahead < size) __builtin_prefetch(window->bytes + ahead);
        const size_t slot = slots[i];
        const uint64_t word = batch->words[slot];
        if (word == 0) continue;
        int answer = LEFT;
        graben_found place = {NULL, 0};
        if (word - window->start < size) {
            const uint32_t row = batch->rows == NULL ? batch->first_row + (uint32_t)slot : batch->rows[slot];
            if (has_plain) answer = test_plain_record(window, word, row, field, &ready, known);
            if (answer == LEFT) answer = test_record(window, word, row, field, &ready, &known, &place);
        }
        passed[slot / 64] |= (uint64_t)(answer == PASSES) << (slot % 64);
        if (answer >= LEFT) {
            left[slot / 64] |= (uint64_t)1 << (slot % 64);
            if (answer == UNCHECKED) {
                if (word < unchecked->first) unchecked->first = word;
                if (word > unchecked->last) unchecked->last = word;
            }
        }
        if (test->kind == GRABEN_TEST_FOUND) found[slot] = place;
    }
}

GRABEN_DISPATCHED(void, graben_test_records,
                  (const graben_window *window, const graben_batch *batch, const graben_field *field, const graben_test *test,
                   const uint64_t *candidates, uint64_t *passed, uint64_t *left, graben_found *found, graben_unchecked *unchecked),
                  , test_records, (window, batch, field, test, candidates, passed, left, found, unchecked))

/// As find, for a field among integers.
GRABEN_INLINE int find_integer(const graben_field *field, const contents *contents, graben_found *found) {
    if (contents->flags != FLAG_INSERT) return find_behind_others(field, contents->flags, contents->at, contents->end, found);
    const uint8_t *sizes = contents->at;
    const size_t size_bytes = (field->integer_count + 1) / 2;
    if ((size_t)(contents->end - sizes) < size_bytes) return GRABEN_MALFORMED;
    const size_t skip = size_bytes + sum_of_sizes(sizes, field->position);
    found->count = sizes[field->position / 2] >> (field->position % 2 * 4) & 15;
    if (found->count > 8 || (size_t)(contents->end - sizes) < skip + found->count) return GRABEN_MALFORMED;
    found->bytes = sizes + skip;
    return GRABEN_FOUND;
}

void graben_read_integers(const graben_window *window, const graben_batch *batch, size_t count, const graben_field *fields,
                          size_t field_count, uint64_t *values, graben_unchecked *unchecked) {
    const uint8_t *readable_end = window->bytes + (window->end - window->start);
    uint64_t known = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const uint64_t word = batch->words[i];
        contents contents;
        int answer = LEFT;
        if (word != 0 && word - window->start < window->end - window->start) {
            answer = open_record(window, word, batch->first_row + (uint32_t)i, fields->layout, &known, &contents);
        }
        if (answer == UNCHECKED) {
            if (word < unchecked->first) unchecked->first = word;
            if (word > unchecked->last) unchecked->last = word;
        }
        for (size_t field = 0; field < field_count; field++) {
            graben_found found;
            uint64_t value = GRABEN_VALUE_LEFT;
            if (answer == PASSES) {
                switch (find_integer(fields + field, &contents, &found)) {
                    case GRABEN_FOUND: value = integer(&found, readable_end); break;
                    case GRABEN_NULL: value = GRABEN_VALUE_NULL; break;
                    default: break;
                }
            }
            values[field * count + i] = value;
        }
    }
}

GRABEN_INLINE void widen_offsets(const void *offsets, size_t count, uint64_t base, uint64_t *words) {
    for (size_t i = 0; i < count; i++) {
        uint32_t offset;
        memcpy(&offset, (const uint8_t *)offsets + i * 4, 4);
        words[i] = offset == 0 ? 0 : base + offset - 1;
    }
}

GRABEN_DISPATCHED(void, graben_widen_offsets, (const void *offsets, size_t count, uint64_t base, uint64_t *words), , widen_offsets,
                  (offsets, count, base, words))
