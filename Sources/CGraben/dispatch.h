#ifndef GRABEN_DISPATCH_H
#define GRABEN_DISPATCH_H
#include "CGraben.h"

// The pattern of every lane kernel: its body is written once, over clang's generic vectors, as an always-inlined function. Inlined into an
// ordinary function it becomes baseline code (SSE2 or NEON), inlined into one with a target attribute AVX2 code. So there is one text to
// read and to be wrong in, and the two cannot differ in what they compute.

#define GRABEN_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define GRABEN_TARGET_AVX2 __attribute__((target("avx2,popcnt")))
/// Defines `name(parameters)`, which runs `body arguments` compiled for the level in force. `give` is `return`, or nothing where the result
/// is void.
#define GRABEN_DISPATCHED(result, name, parameters, give, body, arguments)                                                                \
    GRABEN_TARGET_AVX2 static result name##_avx2 parameters { give body arguments; }                                                      \
    result name parameters {                                                                                                              \
        if (graben_dispatch_level() >= GRABEN_LEVEL_AVX2) {                                                                               \
            give name##_avx2 arguments;                                                                                                   \
        } else {                                                                                                                          \
            give body arguments;                                                                                                          \
        }                                                                                                                                 \
    }
#else
#define GRABEN_DISPATCHED(result, name, parameters, give, body, arguments)                                                                \
    result name parameters { give body arguments; }
#endif

#endif
