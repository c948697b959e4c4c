#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE  // sync_file_range
#endif
#include <CGraben.h>
#if defined(__linux__)
#include <errno.h>
#include <fcntl.h>
#endif

void graben_begin_writing(int file, int64_t offset, int64_t length) {
#if defined(__linux__)
    // A refusal must not be mistaken for that of the call before it.
    const int before = errno;
    (void)sync_file_range(file, offset, length, SYNC_FILE_RANGE_WRITE);
    errno = before;
#else
    (void)file, (void)offset, (void)length;
#endif
}
