#include "CGrabenKeys.h"

#include <string.h>

#include "varint.h"

/// One entry of a leaf.
typedef struct {
    size_t shared, count;
    const uint8_t *rest;
    uint32_t row;
} entry;

/// Reads the entry behind one of `length` bytes; NULL where it is malformed.
GRABEN_INLINE const uint8_t *read_entry(const uint8_t *at, const uint8_t *end, int is_first, size_t length, entry *entry) {
    uint64_t shared = 0, count, row;
    if (!is_first) {
        at = varint(at, end, &shared);
        if (at == NULL || shared > length) return NULL;
    }
    at = varint(at, end, &count);
    if (at == NULL || count > (uint64_t)(end - at)) return NULL;
    entry->shared = (size_t)shared;
    entry->count = (size_t)count;
    entry->rest = at;
    at = varint(at + count, end, &row);
    if (at == NULL || row > UINT32_MAX) return NULL;
    entry->row = (uint32_t)row;
    return at;
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
    for (size_t line = 64; line < count && line < 512; line += 64) __builtin_prefetch(leaf + line);
    // How much of the sought key the entry before begins with; that entry is before it.
    size_t matched = 0, length = 0;
    entry next;
    for (size_t i = 0; i < entries; i++) {
        at = read_entry(at, end, i == 0, length, &next);
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
            *row = next.row;
            return GRABEN_KEY_FOUND;
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
        at = read_entry(at, end, i == 0, length, &next);
        if (at == NULL) return 0;
        length = next.shared + next.count;
        rows[i] = next.row;
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
