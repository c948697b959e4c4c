#include "dispatch.h"

#include <stdatomic.h>
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

// Detection gives every thread the same answer, so threads that meet here first need no lock: each stores the same number.
static _Atomic int level_in_force = -1;

static int detected_level(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("pclmul")) return GRABEN_LEVEL_BASELINE;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") ? GRABEN_LEVEL_AVX2 : GRABEN_LEVEL_CRC;
#elif defined(__aarch64__) && defined(__linux__)
    const unsigned long crc32 = 1ul << 7;  // HWCAP_CRC32 of the kernel's arm64 interface
    return getauxval(AT_HWCAP) & crc32 ? GRABEN_LEVEL_CRC : GRABEN_LEVEL_BASELINE;
#elif defined(__aarch64__) && defined(__APPLE__)
    return GRABEN_LEVEL_CRC;  // every 64-bit Apple processor this package runs on has it
#else
    return GRABEN_LEVEL_BASELINE;
#endif
}

int graben_dispatch_level(void) {
    int level = atomic_load_explicit(&level_in_force, memory_order_relaxed);
    if (__builtin_expect(level < 0, 0)) {
        level = detected_level();
        atomic_store_explicit(&level_in_force, level, memory_order_relaxed);
    }
    return level;
}

int graben_set_dispatch_level(int level) {
    int highest = detected_level();
    level = level < GRABEN_LEVEL_BASELINE ? GRABEN_LEVEL_BASELINE : level > highest ? highest : level;
    atomic_store_explicit(&level_in_force, level, memory_order_relaxed);
    return level;
}
