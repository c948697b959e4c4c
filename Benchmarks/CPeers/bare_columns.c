#include <stdlib.h>
#include <string.h>

#include "support.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

// The machine's limit for work in memory: the same layout as Graben's columns, and nothing around it.

enum { SLOTS = 1024, LANES = 3, CHUNK_DOUBLES = SLOTS * LANES };

struct peer_bare {
    size_t count;
    double *chunks;      // chunk after chunk, in each x, y, z lane after lane
    double *contiguous;  // all x, all y, all z: what a hand-written program would scan
    uint32_t *starts, *ends;
};

static void *pages(size_t bytes) {
    void *memory = NULL;
    return posix_memalign(&memory, 4096, bytes) == 0 ? memory : NULL;
}

peer_bare *peer_bare_create(const peer_network *network) {
    const size_t count = network->count, chunk_count = (count + SLOTS - 1) / SLOTS;
    peer_bare *bare = calloc(1, sizeof(*bare));
    if (bare == NULL) return NULL;
    *bare = (peer_bare){
        .count = count,
        .chunks = pages(chunk_count * CHUNK_DOUBLES * sizeof(double)),
        .contiguous = pages(count * LANES * sizeof(double)),
        .starts = pages(count * sizeof(uint32_t)),
        .ends = pages(count * sizeof(uint32_t)),
    };
    if (bare->chunks == NULL || bare->contiguous == NULL || bare->starts == NULL || bare->ends == NULL) {
        peer_bare_destroy(bare);
        return NULL;
    }
    memset(bare->chunks, 0, chunk_count * CHUNK_DOUBLES * sizeof(double));
    const double *const lanes[LANES] = {network->x, network->y, network->z};
    for (size_t lane = 0; lane < LANES; lane++) {
        memcpy(bare->contiguous + lane * count, lanes[lane], count * sizeof(double));
        for (size_t i = 0; i < count; i++) bare->chunks[i / SLOTS * CHUNK_DOUBLES + lane * SLOTS + i % SLOTS] = lanes[lane][i];
    }
    memcpy(bare->starts, network->starts, count * sizeof(uint32_t));
    memcpy(bare->ends, network->ends, count * sizeof(uint32_t));
    return bare;
}

void peer_bare_destroy(peer_bare *bare) {
    if (bare == NULL) return;
    free(bare->chunks);
    free(bare->contiguous);
    free(bare->starts);
    free(bare->ends);
    free(bare);
}

static inline double sum_at(const peer_bare *bare, uint32_t row) {
    const double *slot = bare->chunks + (size_t)(row / SLOTS) * CHUNK_DOUBLES + row % SLOTS;
    return slot[0] + slot[SLOTS] + slot[2 * SLOTS];
}

peer_result peer_bare_lookup(const peer_bare *bare, const uint32_t *rows, size_t count) {
    const double began = peer_now();
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += sum_at(bare, rows[i]);
    return (peer_result){.nanoseconds = peer_now() - began, .sum = sum, .count = count};
}

peer_result peer_bare_traverse(const peer_bare *bare) {
    const double began = peer_now();
    double sum = 0;
    for (size_t i = 0; i < bare->count; i++) {
        sum += sum_at(bare, bare->starts[i]);
        sum += sum_at(bare, bare->ends[i]);
    }
    return (peer_result){.nanoseconds = peer_now() - began, .sum = sum, .count = bare->count};
}

static double plain_sum(const double *values, size_t count) {
    double sums[8] = {0};
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        for (int k = 0; k < 8; k++) sums[k] += values[i + k];
    }
    for (; i < count; i++) sums[0] += values[i];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static double avx2_sum(const double *values, size_t count) {
    __m256d a = _mm256_setzero_pd(), b = a, c = a, d = a;
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        a = _mm256_add_pd(a, _mm256_loadu_pd(values + i));
        b = _mm256_add_pd(b, _mm256_loadu_pd(values + i + 4));
        c = _mm256_add_pd(c, _mm256_loadu_pd(values + i + 8));
        d = _mm256_add_pd(d, _mm256_loadu_pd(values + i + 12));
    }
    double sums[4];
    _mm256_storeu_pd(sums, _mm256_add_pd(_mm256_add_pd(a, b), _mm256_add_pd(c, d)));
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + plain_sum(values + i, count - i);
}
#endif

peer_result peer_bare_scan(const peer_bare *bare) {
    const double began = peer_now();
    const size_t count = LANES * bare->count;
    double sum;
#if defined(__x86_64__)
    sum = __builtin_cpu_supports("avx2") ? avx2_sum(bare->contiguous, count) : plain_sum(bare->contiguous, count);
#else
    sum = plain_sum(bare->contiguous, count);
#endif
    return (peer_result){.nanoseconds = peer_now() - began, .sum = sum, .count = bare->count};
}

peer_result peer_bare_filter_x(const peer_bare *bare, double low, double high) {
    const double began = peer_now();
    uint64_t found = 0;
    for (size_t i = 0; i < bare->count; i++) found += (bare->contiguous[i] >= low) & (bare->contiguous[i] <= high);
    return (peer_result){.nanoseconds = peer_now() - began, .count = found};
}
