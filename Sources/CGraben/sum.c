#include "lane.h"

GRABEN_INLINE double folded(const values *sums) {
    double part[STEP];
    memcpy(part, sums, sizeof(part));
    for (int half = STEP / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; k++) part[k] += part[k + half];
    }
    return part[0];
}

// Padding and masked-out values add +0, which changes no accumulator: each begins with +0 and so never holds -0.
#define GRABEN_SUM(type, suffix)                                                                                                          \
    GRABEN_INLINE void add_lane_##suffix(values *sums, const type *lane, const uint64_t *bits, size_t count) {                            \
        values running = *sums, next;                                                                                                     \
        masks mask;                                                                                                                       \
        size_t i = 0;                                                                                                                     \
        if (bits == NULL) {                                                                                                               \
            for (; i + STEP <= count; i += STEP) {                                                                                        \
                load_##suffix(&next, lane + i);                                                                                           \
                running += next;                                                                                                          \
            }                                                                                                                             \
        } else {                                                                                                                          \
            for (; i + STEP <= count; i += STEP) {                                                                                        \
                load_##suffix(&next, lane + i);                                                                                           \
                widen(&mask, step_bits(bits, i));                                                                                         \
                running += (values)((masks)next & mask);                                                                                  \
            }                                                                                                                             \
        }                                                                                                                                 \
        if (i < count) {                                                                                                                  \
            load_partial_##suffix(&next, lane + i, count - i, 0);                                                                         \
            if (bits != NULL) {                                                                                                           \
                widen(&mask, step_bits(bits, i));                                                                                         \
                next = (values)((masks)next & mask);                                                                                      \
            }                                                                                                                             \
            running += next;                                                                                                              \
        }                                                                                                                                 \
        *sums = running;                                                                                                                  \
    }                                                                                                                                     \
    GRABEN_INLINE double sum_##suffix(const type *lane, const uint64_t *bits, size_t count) {                                             \
        values sums = {0};                                                                                                                \
        add_lane_##suffix(&sums, lane, bits, count);                                                                                      \
        return folded(&sums);                                                                                                             \
    }                                                                                                                                     \
    GRABEN_INLINE double sum_lanes_##suffix(const type *const *lanes, const uint32_t *counts, size_t lane_count) {                        \
        values sums = {0};                                                                                                                \
        for (size_t i = 0; i < lane_count; i++) add_lane_##suffix(&sums, lanes[i], NULL, counts[i]);                                      \
        return folded(&sums);                                                                                                             \
    }                                                                                                                                     \
    GRABEN_DISPATCHED(double, graben_sum_##suffix, (const type *lane, const uint64_t *bits, size_t count), return, sum_##suffix,          \
                      (lane, bits, count))                                                                                                \
    GRABEN_DISPATCHED(double, graben_sum_lanes_##suffix,                                                                                  \
                      (const type *const *lanes, const uint32_t *counts, size_t lane_count), return, sum_lanes_##suffix,                  \
                      (lanes, counts, lane_count))

GRABEN_SUM(double, f64)
GRABEN_SUM(float, f32)
