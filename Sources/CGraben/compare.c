#include "lane.h"

#pragma mark - Extent

// `a < b` is false for NaN on either side, so a NaN never replaces what is there; masked-out values are made NaN to the same end.
GRABEN_INLINE void absorb(values *least, values *greatest, masks *counts, const values *next) {
    masks less = *next < *least, more = *next > *greatest;
    *least = (values)(((masks)*next & less) | ((masks)*least & ~less));
    *greatest = (values)(((masks)*next & more) | ((masks)*greatest & ~more));
    *counts -= *next == *next;
}

#define GRABEN_EXTENT(type, suffix)                                                                                                       \
    GRABEN_INLINE graben_extent extent_##suffix(const type *lane, const uint64_t *bits, size_t count) {                                   \
        const double nan = __builtin_nan("");                                                                                             \
        values least, greatest, next;                                                                                                     \
        masks mask, counts = {0};                                                                                                         \
        for (int k = 0; k < STEP; k++) {                                                                                                  \
            least[k] = __builtin_inf();                                                                                                   \
            greatest[k] = -__builtin_inf();                                                                                               \
        }                                                                                                                                 \
        for (size_t i = 0; i < count; i += STEP) {                                                                                        \
            if (i + STEP <= count) {                                                                                                      \
                load_##suffix(&next, lane + i);                                                                                           \
            } else {                                                                                                                      \
                load_partial_##suffix(&next, lane + i, count - i, nan);                                                                   \
            }                                                                                                                             \
            if (bits != NULL) {                                                                                                           \
                widen(&mask, step_bits(bits, i));                                                                                         \
                next = (values)((masks)next | ~mask);                                                                                     \
            }                                                                                                                             \
            absorb(&least, &greatest, &counts, &next);                                                                                    \
        }                                                                                                                                 \
        graben_extent result = {least[0], greatest[0], (size_t)counts[0]};                                                                \
        for (int k = 1; k < STEP; k++) {                                                                                                  \
            if (least[k] < result.minimum) result.minimum = least[k];                                                                     \
            if (greatest[k] > result.maximum) result.maximum = greatest[k];                                                               \
            result.count += (size_t)counts[k];                                                                                            \
        }                                                                                                                                 \
        return result;                                                                                                                    \
    }                                                                                                                                     \
    GRABEN_DISPATCHED(graben_extent, graben_extent_##suffix, (const type *lane, const uint64_t *bits, size_t count),                      \
                      return, extent_##suffix, (lane, bits, count))

GRABEN_EXTENT(double, f64)
GRABEN_EXTENT(float, f32)

#pragma mark - Range

#define GRABEN_RANGE(type, suffix)                                                                                                        \
    GRABEN_INLINE size_t range_##suffix(const type *lane, const uint64_t *bits, size_t count, double low, double high,                    \
                                        uint64_t *result) {                                                                               \
        size_t total = 0, word = 0;                                                                                                       \
        values next;                                                                                                                      \
        masks inside;                                                                                                                     \
        for (; word * 64 + 64 <= count; word++) {                                                                                         \
            uint64_t found = 0;                                                                                                           \
            for (size_t k = 0; k < 64; k += STEP) {                                                                                       \
                load_##suffix(&next, lane + word * 64 + k);                                                                               \
                inside = (next >= low) & (next <= high);                                                                                  \
                found |= (uint64_t)narrow(&inside) << k;                                                                                  \
            }                                                                                                                             \
            if (bits != NULL) found &= bits[word];                                                                                        \
            result[word] = found;                                                                                                         \
            total += (size_t)__builtin_popcountll(found);                                                                                 \
        }                                                                                                                                 \
        if (word * 64 < count) {                                                                                                          \
            uint64_t found = 0;                                                                                                           \
            for (size_t i = word * 64; i < count; i++) {                                                                                  \
                const double value = lane[i];                                                                                             \
                found |= (uint64_t)(value >= low && value <= high) << (i % 64);                                                           \
            }                                                                                                                             \
            if (bits != NULL) found &= bits[word];                                                                                        \
            result[word] = found;                                                                                                         \
            total += (size_t)__builtin_popcountll(found);                                                                                 \
        }                                                                                                                                 \
        return total;                                                                                                                     \
    }                                                                                                                                     \
    GRABEN_DISPATCHED(size_t, graben_range_##suffix,                                                                                      \
                      (const type *lane, const uint64_t *bits, size_t count, double low, double high, uint64_t *result),                  \
                      return, range_##suffix, (lane, bits, count, low, high, result))

GRABEN_RANGE(double, f64)
GRABEN_RANGE(float, f32)

#pragma mark - Presence

GRABEN_INLINE size_t present(const uint64_t *words, size_t count, uint64_t *result) {
    size_t total = 0, word = 0;
    masks next, set;
    for (; word * 64 + 64 <= count; word++) {
        uint64_t found = 0;
        for (size_t k = 0; k < 64; k += STEP) {
            memcpy(&next, words + word * 64 + k, sizeof(next));
            set = next != 0;
            found |= (uint64_t)narrow(&set) << k;
        }
        result[word] = found;
        total += (size_t)__builtin_popcountll(found);
    }
    if (word * 64 < count) {
        uint64_t found = 0;
        for (size_t i = word * 64; i < count; i++) found |= (uint64_t)(words[i] != 0) << (i % 64);
        result[word] = found;
        total += (size_t)__builtin_popcountll(found);
    }
    return total;
}
GRABEN_DISPATCHED(size_t, graben_present_u64, (const uint64_t *words, size_t count, uint64_t *result), return, present,
                  (words, count, result))
