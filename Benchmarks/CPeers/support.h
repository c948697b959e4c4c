#ifndef PEER_SUPPORT_H
#define PEER_SUPPORT_H
#include "CPeers.h"

double peer_now(void);
/// Keeps the text for `peer_message` and gives the result that says it failed.
peer_result peer_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// Bytes of a file, 0 where there is none.
uint64_t peer_file_size(const char *path);

enum { PEER_PATH_BYTES = 1024 };
void peer_path(char *result, const char *directory, const char *name);

#endif
