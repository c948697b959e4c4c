#ifndef GRABEN_LANE_H
#define GRABEN_LANE_H
#include <stdbool.h>
#include <string.h>

#include "dispatch.h"

// Sixteen slots at a time: two cache lines of doubles, and enough independent accumulators to hide the latency of an addition at every
// vector width. The types live in registers inside inlined bodies only, so no calling convention depends on them.
enum { STEP = 16 };
typedef double values __attribute__((vector_size(8 * STEP)));
typedef int64_t masks __attribute__((vector_size(8 * STEP)));
typedef float floats __attribute__((vector_size(4 * STEP)));
typedef bool flags __attribute__((ext_vector_type(STEP)));

GRABEN_INLINE void load_f64(values *result, const double *lane) { memcpy(result, lane, sizeof(*result)); }

GRABEN_INLINE void load_f32(values *result, const float *lane) {
    floats narrow;
    memcpy(&narrow, lane, sizeof(narrow));
    *result = __builtin_convertvector(narrow, values);
}

GRABEN_INLINE void store_f64(double *lane, const values *value) { memcpy(lane, value, sizeof(*value)); }

GRABEN_INLINE void store_f32(float *lane, const values *value) {
    floats narrow = __builtin_convertvector(*value, floats);
    memcpy(lane, &narrow, sizeof(narrow));
}

// The last, incomplete step: `count` values and then `fill`, so that a tail goes through the same code as the rest.
#define GRABEN_PARTIAL_LOAD(type, suffix)                                                                                                 \
    GRABEN_INLINE void load_partial_##suffix(values *result, const type *lane, size_t count, double fill) {                               \
        double padded[STEP];                                                                                                              \
        for (size_t k = 0; k < STEP; k++) padded[k] = k < count ? (double)lane[k] : fill;                                                 \
        memcpy(result, padded, sizeof(padded));                                                                                           \
    }
GRABEN_PARTIAL_LOAD(double, f64)
GRABEN_PARTIAL_LOAD(float, f32)

/// The sixteen bits of a bitmap that belong to the step at `slot`.
GRABEN_INLINE uint32_t step_bits(const uint64_t *bits, size_t slot) { return (uint32_t)(bits[slot / 64] >> (slot % 64)) & 0xFFFF; }

/// All ones in the lanes whose bit is set.
GRABEN_INLINE void widen(masks *result, uint32_t bits) {
    const masks place = {1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7,
                         1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    *result = ((int64_t)bits & place) != 0;
}

/// One bit of each lane of a comparison's result.
GRABEN_INLINE uint32_t narrow(const masks *mask) {
    flags each = __builtin_convertvector(*mask, flags);
    uint16_t bits;
    memcpy(&bits, &each, sizeof(bits));
    return bits;
}

#endif
