#include <pthread.h>
#include <string.h>

#include "dispatch.h"
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#endif

// CRC32C: polynomial 0x1EDC6F41, bits reflected (0x82F63B78), register begun and ended with all ones. `state` below is the register between
// the two inversions.

#pragma mark - Table

// Slicing by eight: table[k][b] is the register after byte b and k zero bytes, so eight bytes cost eight look-ups and no chain of shifts.
static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void fill_table(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t value = byte;
        for (int bit = 0; bit < 8; bit++) value = (value >> 1) ^ (0x82F63B78u & (0u - (value & 1)));
        table[0][byte] = value;
    }
    for (int k = 1; k < 8; k++) {
        for (int byte = 0; byte < 256; byte++) table[k][byte] = (table[k - 1][byte] >> 8) ^ table[0][table[k - 1][byte] & 0xFF];
    }
}

static uint32_t table_update(uint32_t state, const uint8_t *bytes, size_t length) {
    pthread_once(&table_once, fill_table);
    for (; length >= 8; length -= 8, bytes += 8) {
        uint32_t low = state ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
        state = table[7][low & 0xFF] ^ table[6][low >> 8 & 0xFF] ^ table[5][low >> 16 & 0xFF] ^ table[4][low >> 24] ^ table[3][bytes[4]]
                ^ table[2][bytes[5]] ^ table[1][bytes[6]] ^ table[0][bytes[7]];
    }
    for (; length > 0; length--) state = (state >> 8) ^ table[0][(state ^ *bytes++) & 0xFF];
    return state;
}

#pragma mark - Hardware

// The instruction takes three cycles but can begin one each cycle, so three streams run at once over thirds of a block, and are then joined:
// the state after A followed by B is state(A) * x^(8 * |B|) + state(B). A third has one of a few fixed sizes, so the powers are constants.
// Sizes are such that three of the largest fill a 16 KB block of the log but for 16 bytes, and three of the next a 4 KB page.

GRABEN_INLINE uint64_t word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word;
}

#if defined(__x86_64__)
#define TARGET_CRC __attribute__((target("sse4.2,pclmul")))
#define CRC_64(state, word) ((uint32_t)_mm_crc32_u64((state), (word)))
#define CRC_8(state, byte) _mm_crc32_u8((state), (byte))

// `power` is x^(n - 33) mod P for a shift by n bits: the carry-less product of two reflected words reads as one power of x too high, and
// the CRC instruction that reduces it multiplies by x^32.
TARGET_CRC GRABEN_INLINE uint32_t shifted(uint32_t state, uint32_t power) {
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi32_si128((int)state), _mm_cvtsi32_si128((int)power), 0);
    return CRC_64(0, (uint64_t)_mm_cvtsi128_si64(product));
}
#elif defined(__aarch64__)
#define TARGET_CRC __attribute__((target("crc")))
#define CRC_64(state, word) __crc32cd((state), (word))
#define CRC_8(state, byte) __crc32cb((state), (byte))

// As above, but with a carry-less product in plain arithmetic: it runs once in thousands of bytes, and the polynomial multiply instruction
// belongs to another extension than the CRC's.
TARGET_CRC GRABEN_INLINE uint32_t shifted(uint32_t state, uint32_t power) {
    uint64_t product = 0;
    for (int bit = 0; bit < 32; bit++) product ^= ((uint64_t)state << bit) & (0 - (uint64_t)(power >> bit & 1));
    return CRC_64(0, product);
}
#endif

#if defined(TARGET_CRC)
static const struct {
    uint32_t size, one, two;  // bytes of a third; x^(8 * size - 33) and x^(16 * size - 33) mod P, reflected
} thirds[] = {
    {5456, 0x5D4C91FC, 0x562CC096},
    {1360, 0x3F70CC6F, 0x5AA1F3CF},
    {336, 0xA60CE07B, 0xCEC3662E},
#if defined(__x86_64__)
    {80, 0x39D3B296, 0x878A92A7},  // pays only where the join is two instructions
#endif
};

TARGET_CRC static uint32_t hardware_update(uint32_t state, const uint8_t *bytes, size_t length) {
    for (size_t k = 0; k < sizeof(thirds) / sizeof(thirds[0]); k++) {
        const size_t size = thirds[k].size;
        for (; length >= 3 * size; length -= 3 * size, bytes += 3 * size) {
            uint32_t second = 0, third = 0;
            for (size_t i = 0; i < size; i += 8) {
                state = CRC_64(state, word_at(bytes + i));
                second = CRC_64(second, word_at(bytes + size + i));
                third = CRC_64(third, word_at(bytes + 2 * size + i));
            }
            state = shifted(state, thirds[k].two) ^ shifted(second, thirds[k].one) ^ third;
        }
    }
    for (; length >= 8; length -= 8, bytes += 8) state = CRC_64(state, word_at(bytes));
    for (; length > 0; length--) state = CRC_8(state, *bytes++);
    return state;
}
#endif

uint32_t graben_crc32c(uint32_t crc, const void *bytes, size_t length) {
#if defined(TARGET_CRC)
    if (graben_dispatch_level() >= GRABEN_LEVEL_CRC) return ~hardware_update(~crc, bytes, length);
#endif
    return ~table_update(~crc, bytes, length);
}
