#include "CGraben.h"
uint32_t graben_crc32c(uint32_t crc, const void *bytes, size_t length) {
    const uint8_t *p = bytes;
    crc = ~crc;
    while (length--) {
        crc ^= *p++;
        for (int k = 0; k < 8; k++) crc = (crc >> 1) ^ (0x82F63B78u & (0u - (crc & 1)));
    }
    return ~crc;
}
