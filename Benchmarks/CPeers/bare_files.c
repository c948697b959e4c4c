#include <CGraben.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support.h"

// The machine's limit for work on files: appends made durable one by one, and a log read back with everything checked.

static peer_result failed_call(const char *doing, const char *path) { return peer_failed("cannot %s %s: %s", doing, path, strerror(errno)); }

static int sync_data(int file) {
#if defined(__APPLE__)
    return fcntl(file, F_FULLFSYNC);
#else
    return fdatasync(file);
#endif
}

static bool write_all(int file, const void *bytes, size_t count) {
    const char *next = bytes;
    while (count > 0) {
        const ssize_t written = write(file, next, count);
        if (written < 0) {
            if (errno == EINTR) continue;
            return false;
        }
        next += written;
        count -= (size_t)written;
    }
    return true;
}

#pragma mark - Append

peer_result peer_bare_append(const char *directory, size_t count, peer_append_mode mode) {
    enum { BYTES = 100 };
    char record[BYTES], path[PEER_PATH_BYTES];
    memset(record, 'g', sizeof(record));
    peer_path(path, directory, "append.bare");
    unlink(path);
    const int flags = O_RDWR | O_CREAT | O_EXCL | (mode == PEER_APPEND_DSYNC ? O_DSYNC : 0);
    const int file = open(path, flags, 0644);
    if (file < 0) return failed_call("create", path);
    peer_result result = {.count = count};
    bool good = true;
    if (mode != PEER_APPEND_GROWING) {
        // Written zeros, not fallocate: unwritten extents would be converted, and so journalled, at each sync.
        const size_t space = (count * BYTES + 65535) / 65536 * 65536;
        void *zeros = calloc(1, space);
        good = zeros != NULL && write_all(file, zeros, space) && sync_data(file) == 0 && lseek(file, 0, SEEK_SET) == 0;
        free(zeros);
    }
    const double began = peer_now();
    for (size_t i = 0; good && i < count; i++) {
        good = write_all(file, record, BYTES) && (mode == PEER_APPEND_DSYNC || sync_data(file) == 0);
    }
    result.nanoseconds = peer_now() - began;
    if (!good) result = failed_call("append to", path);
    close(file);
    unlink(path);
    return result;
}

#pragma mark - Replay

// The file: a header of 64 bytes (payload length, record count, record area's offset, offset of the checksums), chunks of three lanes, then
// records of twenty bytes (length, row, the rest a name), then one CRC32C for each 16 KB block of all that.
enum { BLOCK = 16384, CHUNK = 3 * 1024 * 8, RECORD = 20 };

typedef struct {
    uint64_t payload, records, records_at, checksums_at;
    uint64_t unused[4];
} header;

peer_result peer_bare_log_write(const char *directory, size_t count) {
    char path[PEER_PATH_BYTES];
    peer_path(path, directory, "replay.bare");
    const size_t chunks = (count + 1023) / 1024 * CHUNK, payload = chunks + count * RECORD;
    const size_t blocks = (payload + BLOCK - 1) / BLOCK, total = sizeof(header) + payload + blocks * 4;
    uint8_t *bytes = calloc(1, total);
    if (bytes == NULL) return peer_failed("no memory for a log of %zu records", count);
    const header first = {.payload = payload, .records = count, .records_at = chunks, .checksums_at = sizeof(header) + payload};
    memcpy(bytes, &first, sizeof(first));
    uint8_t *body = bytes + sizeof(header);
    for (size_t i = 0; i < chunks; i += 8) memcpy(body + i, &(double){(double)i}, 8);
    for (uint32_t row = 0; row < count; row++) {
        uint8_t *record = body + chunks + (size_t)row * RECORD;
        const uint16_t length = RECORD;
        memset(record, 'n', RECORD);
        memcpy(record, &length, 2);
        memcpy(record + 2, &row, 4);
    }
    for (size_t block = 0; block < blocks; block++) {
        const size_t at = block * BLOCK, length = payload - at < BLOCK ? payload - at : BLOCK;
        const uint32_t crc = graben_crc32c(0, body + at, length);
        memcpy(bytes + first.checksums_at + 4 * block, &crc, 4);
    }
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    const bool good = file >= 0 && write_all(file, bytes, total);
    const peer_result result = good ? (peer_result){.count = total} : failed_call("write", path);
    if (file >= 0) close(file);
    free(bytes);
    return result;
}

peer_result peer_bare_log_replay(const char *directory) {
    char path[PEER_PATH_BYTES];
    peer_path(path, directory, "replay.bare");
    const double began = peer_now();
    const uint64_t size = peer_file_size(path);
    const int file = open(path, O_RDONLY);
    if (file < 0) return failed_call("open", path);
    uint8_t *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (bytes == MAP_FAILED) return failed_call("map", path);
    header first;
    memcpy(&first, bytes, sizeof(first));
    const uint8_t *body = bytes + sizeof(header);
    peer_result result = {0};
    bool good = true;
    for (size_t at = 0, block = 0; good && at < first.payload; at += BLOCK, block++) {
        uint32_t crc;
        memcpy(&crc, bytes + first.checksums_at + 4 * block, 4);
        good = crc == graben_crc32c(0, body + at, first.payload - at < BLOCK ? first.payload - at : BLOCK);
    }
    uint64_t *offsets = malloc(first.records * sizeof(uint64_t));
    for (uint64_t at = first.records_at; good && offsets != NULL && at < first.payload;) {
        uint16_t length;
        uint32_t row;
        memcpy(&length, body + at, 2);
        memcpy(&row, body + at + 2, 4);
        good = length >= 6 && row < first.records;
        if (good) offsets[row] = at;
        at += length;
        result.count++;
    }
    result.nanoseconds = peer_now() - began;
    if (offsets != NULL && first.records > 0) result.sum = (double)offsets[first.records - 1];  // keeps the stores alive
    free(offsets);
    munmap(bytes, size);
    return good && result.count == first.records ? result : peer_failed("%s is damaged", path);
}
