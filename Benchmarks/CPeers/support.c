#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char message[512];

const char *peer_message(void) { return message; }

peer_result peer_failed(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    return (peer_result){.nanoseconds = -1};
}

double peer_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

uint64_t peer_file_size(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

void peer_path(char *result, const char *directory, const char *name) { snprintf(result, PEER_PATH_BYTES, "%s/%s", directory, name); }

uint64_t peer_peak_memory(void) {
    // VmHWM rather than getrusage: the latter's peak survives exec and so begins with the parent's.
    FILE *status = fopen("/proc/self/status", "r");
    if (status == NULL) return 0;
    char line[256];
    unsigned long long kilobytes = 0;
    while (fgets(line, sizeof(line), status) != NULL && sscanf(line, "VmHWM: %llu", &kilobytes) != 1) continue;
    fclose(status);
    return kilobytes * 1024;
}

peer_result peer_run(char *const *arguments) {
    const double began = peer_now();
    const pid_t child = fork();
    if (child < 0) return peer_failed("cannot start %s: %s", arguments[0], strerror(errno));
    if (child == 0) {
        const int null = open("/dev/null", O_WRONLY);
        if (null >= 0) dup2(null, STDOUT_FILENO);
        execvp(arguments[0], arguments);
        _exit(127);
    }
    struct rusage usage;
    int status;
    while (wait4(child, &status, 0, &usage) < 0) {
        if (errno != EINTR) return peer_failed("cannot wait for %s: %s", arguments[0], strerror(errno));
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return peer_failed("%s failed (wait status %d)", arguments[0], status);
#if defined(__APPLE__)
    const uint64_t unit = 1;
#else
    const uint64_t unit = 1024;
#endif
    return (peer_result){.nanoseconds = peer_now() - began, .count = (uint64_t)usage.ru_maxrss * unit};
}
