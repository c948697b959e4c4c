#ifndef CGRABEN_H
#define CGRABEN_H
#include <stddef.h>
#include <stdint.h>

/// CRC32C (Castagnoli) of `length` bytes, continuing from `crc` (0 to begin).
uint32_t graben_crc32c(uint32_t crc, const void *bytes, size_t length);

#endif
