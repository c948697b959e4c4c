#ifndef GRABEN_VARINT_H
#define GRABEN_VARINT_H
#include "dispatch.h"

/// Reads seven bits a byte, lowest first; the top bit says that more follow. NULL where they are too many or the end comes first.
GRABEN_INLINE const uint8_t *varint(const uint8_t *at, const uint8_t *end, uint64_t *value) {
    if (at >= end) return NULL;
    uint64_t result = *at & 0x7F;
    for (unsigned shift = 7; *at++ >= 0x80; shift += 7) {
        if (at >= end || shift > 63 || (shift == 63 && *at > 1)) return NULL;
        result |= (uint64_t)(*at & 0x7F) << shift;
    }
    *value = result;
    return at;
}

#endif
