#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

void peer_between_passes(void) { __asm__ volatile("" ::: "memory"); }

typedef struct {
    void (*work)(void *context);
    void *context;
} job;

static void *run_job(void *argument) {
    const job *job = argument;
    job->work(job->context);
    return NULL;
}

peer_result peer_on_threads(size_t count, void (*work)(void *context), void *context) {
    enum { LIMIT = 256 };
    pthread_t threads[LIMIT];
    job shared = {work, context};
    size_t started = 0;
    int code = 0;
    const double began = peer_now();
    while (code == 0 && started < count && started < LIMIT) {
        code = pthread_create(&threads[started], NULL, run_job, &shared);
        if (code == 0) started++;
    }
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
    if (code != 0) return peer_failed("cannot start a thread: %s", strerror(code));
    return (peer_result){.nanoseconds = peer_now() - began, .count = started};
}

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

// Starts a program with its standard output going to `output`, waits for it and gives its peak memory.
static peer_result run_into(char *const *arguments, int output, int unused) {
    const double began = peer_now();
    const pid_t child = fork();
    if (child < 0) return peer_failed("cannot start %s: %s", arguments[0], strerror(errno));
    if (child == 0) {
        if (unused >= 0) close(unused);
        if (dup2(output, STDOUT_FILENO) >= 0) execvp(arguments[0], arguments);
        _exit(127);
    }
    struct rusage usage;
    int status;
    while (wait4(child, &status, 0, &usage) < 0) {
        if (errno != EINTR) return peer_failed("cannot wait for %s: %s", arguments[0], strerror(errno));
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return peer_failed("cannot run %s", arguments[0]);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return peer_failed("%s failed (wait status %d)", arguments[0], status);
#if defined(__APPLE__)
    const uint64_t unit = 1;
#else
    const uint64_t unit = 1024;
#endif
    return (peer_result){.nanoseconds = peer_now() - began, .count = (uint64_t)usage.ru_maxrss * unit};
}

peer_result peer_run(char *const *arguments) {
    const int null = open("/dev/null", O_WRONLY);
    if (null < 0) return peer_failed("cannot open /dev/null: %s", strerror(errno));
    const peer_result result = run_into(arguments, null, -1);
    close(null);
    return result;
}

peer_result peer_read_number(char *const *arguments) {
    int ends[2];
    if (pipe(ends) != 0) return peer_failed("cannot make a pipe: %s", strerror(errno));
    // A number fits the pipe's buffer, so the program need not be read from while it runs.
    peer_result result = run_into(arguments, ends[1], ends[0]);
    close(ends[1]);
    char text[64];
    const ssize_t length = result.nanoseconds < 0 ? 0 : read(ends[0], text, sizeof(text) - 1);
    close(ends[0]);
    if (result.nanoseconds < 0) return result;
    text[length < 0 ? 0 : length] = 0;
    char *end;
    result.count = strtoull(text, &end, 10);
    return end == text ? peer_failed("%s printed no number", arguments[0]) : result;
}
