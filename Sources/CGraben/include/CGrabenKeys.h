#ifndef CGRABEN_KEYS_H
#define CGRABEN_KEYS_H
#include <stddef.h>
#include <stdint.h>

// Leaves of keys in an index file, whose form is in FileFormat.md: entries in order, each with the bytes in which it differs from the one
// before. No byte of a leaf can make these read outside of it.

enum {
    GRABEN_KEY_FOUND,
    /// The leaf has a key behind the sought one, and not the sought one.
    GRABEN_KEY_ABSENT,
    /// All keys of the leaf are before the sought one.
    GRABEN_KEY_BEHIND,
    GRABEN_KEY_MALFORMED,
};

/// Begins to read the lines of memory that a leaf begins with, which are most of it, beside the rest of the work.
static inline void graben_prefetch_leaf(const uint8_t *leaf, size_t count) {
    for (size_t line = 0; line < count && line < 512; line += 64) __builtin_prefetch(leaf + line);
}

/// Looks for a key among the first `entries` of a leaf, and writes the row of the first entry that has it.
int graben_find_key(const uint8_t *leaf, size_t count, size_t entries, const uint8_t *key, size_t key_count, uint32_t *row);

/// Writes the rows of the first `entries` of a leaf, and returns whether it has so many; the keys are passed over.
int graben_leaf_rows(const uint8_t *leaf, size_t count, size_t entries, uint32_t *rows);

/// How many of `count` fences, a key's word and an offset each, have a key word below `key`, and at `equal` how many have just it.
size_t graben_count_fences(const void *fences, size_t count, uint64_t key, size_t *equal);

/// How many of `count` ascending words are below `word`.
size_t graben_lower_bound_u64(const uint64_t *words, size_t count, uint64_t word);

/// The same for several words at once.
void graben_lower_bounds_u64(const uint64_t *words, size_t count, const uint64_t *sought, size_t sought_count, size_t *below);

#endif
