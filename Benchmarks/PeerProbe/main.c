#include <CPeers.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// What a process needs to open a store and read one object, printed as bytes of peak resident memory. A program of its own, without Swift,
// so that neither the benchmark's memory nor a run time it does not need is counted:
//
//     PeerProbe sqlite|lmdb DIRECTORY ROW     opens the peer's store in this process
//     PeerProbe run PROGRAM ARGUMENT...       runs a program to its end

int main(int count, char **arguments) {
    if (count >= 3 && strcmp(arguments[1], "run") == 0) {
        const peer_result result = peer_run(arguments + 2);
        if (result.nanoseconds < 0) return fprintf(stderr, "PeerProbe: %s\n", peer_message()), 74;
        return printf("%" PRIu64 "\n", result.count) < 0 ? 74 : 0;
    }
    unsigned row;
    const peer_engine *engine = count < 2 ? NULL : strcmp(arguments[1], "sqlite") == 0 ? peer_sqlite()
                                                 : strcmp(arguments[1], "lmdb") == 0   ? peer_lmdb()
                                                                                       : NULL;
    if (engine == NULL || count != 4 || sscanf(arguments[3], "%u", &row) != 1) {
        return fprintf(stderr, "usage: PeerProbe sqlite|lmdb DIRECTORY ROW, or PeerProbe run PROGRAM ARGUMENT...\n"), 64;
    }
    const peer_result result = engine->open_and_read(arguments[2], row);
    if (result.nanoseconds < 0) return fprintf(stderr, "PeerProbe: %s\n", peer_message()), 74;
    return printf("%" PRIu64 "\n", peer_peak_memory()) < 0 ? 74 : 0;
}
