#ifndef CGRABEN_H
#define CGRABEN_H
#include <stddef.h>
#include <stdint.h>

// Checksum and column kernels. Each picks the widest instructions the processor has at its first call; no build flag is needed. All are
// thread-safe, allocate nothing and read or write exactly the bytes their arguments name.

#pragma mark - Dispatch

/// What the kernels may use beyond the architecture's baseline (SSE2 on x86-64, NEON on arm64).
enum {
    GRABEN_LEVEL_BASELINE = 0,
    /// Hardware CRC32C: SSE4.2 with PCLMULQDQ, or the ARMv8 CRC extension.
    GRABEN_LEVEL_CRC = 1,
    /// AVX2 as well; x86-64 only.
    GRABEN_LEVEL_AVX2 = 2,
};

/// The level in force.
int graben_dispatch_level(void);

/// Caps the level, so that tests reach every path; a level the processor lacks gives the highest it has. Returns the level now in force.
/// Not for use while other threads compute something whose speed matters: results are the same at every level.
int graben_set_dispatch_level(int level);

#pragma mark - Memory

/// Asks for the cache line of an address that is likely to be read soon. Any address will do.
static inline void graben_prefetch(const void *address) { __builtin_prefetch(address); }

#pragma mark - Checksum

/// CRC32C (Castagnoli) of `length` bytes, continuing from `crc` (0 to begin).
uint32_t graben_crc32c(uint32_t crc, const void *bytes, size_t length);

#pragma mark - Lanes

// A lane is `count` doubles or floats, naturally aligned. A bitmap has one bit a slot: bit `i % 64` of word `i / 64`; bits at or beyond
// `count` are not looked at in one that is read and are zero in one that is written. `bits` may be NULL: then every slot counts. Floats are
// widened to double before anything is done with them.

/// The sum of a lane's values (those whose bit is set). NaN and infinities propagate.
///
/// Value i is added to accumulator i % 16, and the sixteen are folded in halves, at every level and on every processor: the same lane has
/// the same sum, bit for bit, wherever it is computed.
double graben_sum_f64(const double *lane, const uint64_t *bits, size_t count);
double graben_sum_f32(const float *lane, const uint64_t *bits, size_t count);

/// The sum of many lanes in one call: `counts[i]` values from `lanes[i]`, whose order in the sum is as above with each lane beginning anew
/// at accumulator 0. Give all lanes of interest of all chunks, in any order.
double graben_sum_lanes_f64(const double *const *lanes, const uint32_t *counts, size_t lane_count);
double graben_sum_lanes_f32(const float *const *lanes, const uint32_t *counts, size_t lane_count);

/// The smallest and largest of `count` values; infinity and -infinity where `count` is 0. -0 and 0 count as equal: either may be given.
typedef struct {
    double minimum, maximum;
    size_t count;
} graben_extent;

/// The extent of a lane's values (those whose bit is set). NaN compares false, so it is neither counted nor given.
graben_extent graben_extent_f64(const double *lane, const uint64_t *bits, size_t count);
graben_extent graben_extent_f32(const float *lane, const uint64_t *bits, size_t count);

/// Sets in `result` the bit of each slot (whose bit is set in `bits`) with low <= value <= high, clears the others, and returns how many it
/// set. NaN, in the lane or as a bound, compares false. Writes (count + 63) / 64 words; `result` may be `bits`.
size_t graben_range_f64(const double *lane, const uint64_t *bits, size_t count, double low, double high, uint64_t *result);
size_t graben_range_f32(const float *lane, const uint64_t *bits, size_t count, double low, double high, uint64_t *result);

/// Sets in `result` the bit of each of `count` words that is not 0, clears the others, and returns how many it set. Writes (count + 63) / 64
/// words.
size_t graben_present_u64(const uint64_t *words, size_t count, uint64_t *result);

/// Adds `delta` to each value (whose bit is set). In a lane of floats the sum is made in double and rounded once.
void graben_translate_f64(double *lane, const uint64_t *bits, size_t count, double delta);
void graben_translate_f32(float *lane, const uint64_t *bits, size_t count, double delta);

enum { GRABEN_SLOTS_PER_CHUNK = 1024 };

/// Adds `delta` to the values at `slots` of one chunk's lane. Only a slot's low ten bits count, so slot numbers of the whole column may be
/// given, and no number reaches outside the lane. A slot given twice moves twice.
void graben_translate_slots_f64(double *lane, const uint32_t *slots, size_t slot_count, double delta);
void graben_translate_slots_f32(float *lane, const uint32_t *slots, size_t slot_count, double delta);

#pragma mark - Gather

/// A slot of a chunk: the chunk's first byte (NULL where there is no chunk) and the number within the chunk, of which the low ten bits count.
typedef struct {
    const void *chunk;
    uint32_t slot;
} graben_place;

/// Where three lanes lie in a chunk: byte offsets from its first byte, multiples of the value's size.
typedef struct {
    uint32_t x, y, z;
} graben_lane_offsets;

/// Writes x, y and z of each place to `result`, `stride` values apart (3 for packed triples, 4 for Swift's SIMD3); zeros where there is no
/// chunk.
void graben_gather_f64(const graben_place *places, size_t count, graben_lane_offsets lanes, double *result, size_t stride);
void graben_gather_f32(const graben_place *places, size_t count, graben_lane_offsets lanes, float *result, size_t stride);

/// The same by slot number of the whole column: slot s lies in `chunks[s / 1024]`. Every s must be below 1024 * `chunk_count`; one that is
/// not gives zeros.
void graben_gather_slots_f64(const void *const *chunks, size_t chunk_count, const uint32_t *slots, size_t count, graben_lane_offsets lanes,
                             double *result, size_t stride);
void graben_gather_slots_f32(const void *const *chunks, size_t chunk_count, const uint32_t *slots, size_t count, graben_lane_offsets lanes,
                             float *result, size_t stride);

#pragma mark - Files

/// Asks the system to begin writing these bytes of a file to its disk now, and does not wait for it. Makes nothing durable; where the system
/// has no such call, or refuses it, nothing happens.
void graben_begin_writing(int file, int64_t offset, int64_t length);

#include "CGrabenKeys.h"
#include "CGrabenRecords.h"

#endif
