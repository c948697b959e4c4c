#include "CGrabenKeys.h"

#include <string.h>

#include "varint.h"

/// One entry of a leaf: how much of the key before its own begins with, what follows that, and where its row stands.
typedef struct {
    size_t shared, count;
    const uint8_t *rest, *row;
} entry;

/// Reads the key of the entry behind one of `length` bytes; 0 where it is malformed.
GRABEN_INLINE int read_key(const uint8_t *at, const uint8_t *end, int is_first, size_t length, entry *entry) {
    uint64_t shared = 0, count;
    if (!is_first && end - at >= 2 && (at[0] | at[1]) < 0x80) {
        // Nearly all: both numbers have one byte.
        shared = at[0];
        count = at[1];
        at += 2;
    } else {
        if (!is_first) at = varint(at, end, &shared);
        if (at != NULL) at = varint(at, end, &count);
        if (at == NULL) return 0;
    }
    if (shared > length || count > (uint64_t)(end - at)) return 0;
    entry->shared = (size_t)shared;
    entry->count = (size_t)count;
    entry->rest = at;
    entry->row = at + count;
    return 1;
}

/// Reads an entry's row, and returns what is behind it; NULL where it is malformed.
GRABEN_INLINE const uint8_t *read_row(const uint8_t *at, const uint8_t *end, uint32_t *row) {
    uint64_t word;
    at = varint(at, end, &word);
    if (at == NULL || word > UINT32_MAX) return NULL;
    *row = (uint32_t)word;
    return at;
}

/// Passes over a row, which has five bytes at most; NULL where it is malformed.
GRABEN_INLINE const uint8_t *pass_row(const uint8_t *at, const uint8_t *end) {
    if (end - at < 8) {
        uint32_t row;
        return read_row(at, end, &row);
    }
    uint64_t word;
    memcpy(&word, at, 8);
    word = ~word & 0x8080808080;
    return word == 0 ? NULL : at + __builtin_ctzll(word) / 8 + 1;
}

/// How many bytes two texts have in common at their beginnings.
GRABEN_INLINE size_t common_bytes(const uint8_t *a, const uint8_t *b, size_t count) {
    size_t place = 0;
    for (; place + 8 <= count; place += 8) {
        uint64_t left, right;
        memcpy(&left, a + place, 8);
        memcpy(&right, b + place, 8);
        if (left != right) return place + (size_t)__builtin_ctzll(left ^ right) / 8;
    }
    while (place < count && a[place] == b[place]) place++;
    return place;
}

int graben_find_key(const uint8_t *leaf, size_t count, size_t entries, const uint8_t *key, size_t key_count, uint32_t *row) {
    const uint8_t *at = leaf, *end = leaf + count;
    // A leaf is a few lines of memory that nobody has looked at for long.
    graben_prefetch_leaf(leaf, count);
    // How much of the sought key the entry before begins with; that entry is before it.
    size_t matched = 0, length = 0;
    entry next;
    for (size_t i = 0; i < entries; i++) {
        if (!read_key(at, end, i == 0, length, &next)) return GRABEN_KEY_MALFORMED;
        at = pass_row(next.row, end);
        if (at == NULL) return GRABEN_KEY_MALFORMED;
        length = next.shared + next.count;
        // An entry that shares more with the one before than that did with the sought key is before it too, and one that shares less is behind.
        if (next.shared > matched) continue;
        if (next.shared < matched) return GRABEN_KEY_ABSENT;
        const size_t wanted = key_count - matched;
        const size_t common = common_bytes(next.rest, key + matched, next.count < wanted ? next.count : wanted);
        if (common == wanted) {
            // Keys end themselves, so none is the beginning of another.
            if (common != next.count) return GRABEN_KEY_ABSENT;
            return read_row(next.row, end, row) == NULL ? GRABEN_KEY_MALFORMED : GRABEN_KEY_FOUND;
        }
        if (common < next.count && next.rest[common] > key[matched + common]) return GRABEN_KEY_ABSENT;
        matched += common;
    }
    return GRABEN_KEY_BEHIND;
}

int graben_leaf_rows(const uint8_t *leaf, size_t count, size_t entries, uint32_t *rows) {
    const uint8_t *at = leaf, *end = leaf + count;
    // The next leaf follows this one.
    __builtin_prefetch(end + 64);
    __builtin_prefetch(end + 128);
    size_t length = 0;
    entry next;
    for (size_t i = 0; i < entries; i++) {
        if (!read_key(at, end, i == 0, length, &next)) return 0;
        at = read_row(next.row, end, &rows[i]);
        if (at == NULL) return 0;
        length = next.shared + next.count;
    }
    return 1;
}

GRABEN_INLINE size_t count_fences(const void *fences, size_t count, uint64_t key, size_t *equal) {
    size_t below = 0, same = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t fence;
        memcpy(&fence, (const uint8_t *)fences + i * 16, 8);
        below += fence < key;
        same += fence == key;
    }
    *equal = same;
    return below;
}
GRABEN_DISPATCHED(size_t, graben_count_fences, (const void *fences, size_t count, uint64_t key, size_t *equal), return, count_fences,
                  (fences, count, key, equal))

size_t graben_lower_bound_u64(const uint64_t *words, size_t count, uint64_t word) {
    const uint64_t *first = words;
    // Without branches: which half it is, nobody can guess.
    for (; count > 1; count -= count / 2) {
        const uint64_t *middle = first + count / 2;
        first = __builtin_unpredictable(middle[-1] < word) ? middle : first;
    }
    return (size_t)(first - words) + (count == 1 && *first < word);
}

GRABEN_INLINE void lower_bounds(const uint64_t *restrict words, size_t count, const uint64_t *restrict sought, size_t sought_count,
                                size_t *restrict below) {
    for (size_t i = 0; i < sought_count; i++) below[i] = 0;
    // All searches take a step before any takes the next: none waits for its own last one. A mask, where compilers would make a branch.
    for (; count > 1; count -= count / 2) {
        const uint64_t *last = words + count / 2 - 1;
        for (size_t i = 0; i < sought_count; i++) below[i] += (count / 2) & -(size_t)(last[below[i]] < sought[i]);
    }
    for (size_t i = 0; i < sought_count; i++) below[i] += count == 1 && words[below[i]] < sought[i];
}
GRABEN_DISPATCHED(void, graben_lower_bounds_u64,
                  (const uint64_t *words, size_t count, const uint64_t *sought, size_t sought_count, size_t *below), , lower_bounds,
                  (words, count, sought, sought_count, below))
