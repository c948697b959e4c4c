#ifndef CPEERS_H
#define CPEERS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What Graben is measured against: SQLite, LMDB and the bare machine, each doing the same work on the same network in plain C, with no
// object layer above it. Every function gives the time of the work alone and, where it reads, a sum that the caller checks.

enum { PEER_NAME_BYTES = 12 };

/// The drawing every contender holds: `count` joints (x, y, z, a name of twelve bytes) and `count` lines between two of them. Ids are rows.
typedef struct {
    size_t count;
    const double *x, *y, *z;
    const uint8_t *names;
    const uint32_t *starts, *ends;
} peer_network;

/// What one run of a piece of work took. `nanoseconds` is negative where it failed; `peer_message` then says what and why.
typedef struct {
    double nanoseconds;
    double sum;
    uint64_t count;
} peer_result;

/// The text of the last failure, until the next one.
const char *peer_message(void);

/// A database engine with the network in it. `directory` exists and holds nothing else. `store` is what `open` gave; NULL is a failure.
typedef struct {
    const char *name;
    const char *settings;

    /// Creates the store and inserts all joints and lines in one transaction; the time ends when that is durable.
    peer_result (*load)(const char *directory, const peer_network *network);
    /// Creates a second store in the same directory that holds the joints by name; not meant to be timed.
    peer_result (*load_names)(const char *directory, const peer_network *network);
    /// Bytes of the store of `load`, closed, in `count`.
    peer_result (*size)(const char *directory);

    void *(*open)(const char *directory);
    void (*close)(void *store);
    /// Opens, reads one joint and closes; the time ends at the read. `sum` is that joint's x + y + z.
    peer_result (*open_and_read)(const char *directory, uint32_t row);

    /// Sums x + y + z over the joints at `rows`.
    peer_result (*lookup)(void *store, const uint32_t *rows, size_t count);
    /// The same by name, in the store of `load_names`; `names` are twelve bytes each.
    peer_result (*lookup_names)(void *store, const uint8_t *names, size_t count);
    /// Sums x + y + z over all joints.
    peer_result (*scan)(void *store);
    /// Sums x + y + z over both ends of every line.
    peer_result (*traverse)(void *store);
    /// Counts (in `count`) the joints with low <= x <= high whose name begins with `letter`.
    peer_result (*filter)(void *store, double low, double high, char letter);
    /// Steps over the joints with low <= x <= high through an index of x, in the store of `load_names`, and counts them (in `count`). NULL where
    /// the engine has no such index of its own, here and below.
    peer_result (*range)(void *store, double low, double high);
    /// Sums the x of the `limit` joints with the greatest x, through that index.
    peer_result (*greatest)(void *store, size_t limit);

    /// Adds `delta` to the z of the joints at `rows`, in one durable transaction.
    peer_result (*update)(void *store, const uint32_t *rows, size_t count, double delta);
    /// The same with one durable transaction a joint; the time is that of all.
    peer_result (*commit_each)(void *store, const uint32_t *rows, size_t count, double delta);
    /// Deletes every joint and line with an odd row in one transaction; opens and closes the store itself.
    peer_result (*halve)(const char *directory);
    /// Gives space back as the engine's documentation advises; bytes afterwards in `count`.
    peer_result (*compact)(const char *directory);
} peer_engine;

/// NULL where the engine's development package was missing when this was built.
const peer_engine *peer_sqlite(void);
const peer_engine *peer_lmdb(void);

/// The machine itself. Columns are in Graben's layout (chunks of three lanes of 1,024 doubles) on ordinary pages; the scan's are contiguous.
typedef struct peer_bare peer_bare;

peer_bare *peer_bare_create(const peer_network *network);
void peer_bare_destroy(peer_bare *bare);
peer_result peer_bare_lookup(const peer_bare *bare, const uint32_t *rows, size_t count);
peer_result peer_bare_scan(const peer_bare *bare);
peer_result peer_bare_traverse(const peer_bare *bare);
peer_result peer_bare_filter_x(const peer_bare *bare, double low, double high);

/// How a bare append is made durable: the file grows with each and is synced; it was filled with zeros before; that, and each write syncs.
typedef enum { PEER_APPEND_GROWING, PEER_APPEND_PREALLOCATED, PEER_APPEND_DSYNC } peer_append_mode;

/// Appends `count` times 100 bytes to a new file in `directory`, each durable before the next; the time is that of all.
peer_result peer_bare_append(const char *directory, size_t count, peer_append_mode mode);

/// Writes a log of `count` joints in Graben's proportions: chunks of columns and records of twenty bytes, checksums of each 16 KB block.
peer_result peer_bare_log_write(const char *directory, size_t count);
/// Maps that log, checks every block, walks every record and stores its offset by row; the number of records in `count`.
peer_result peer_bare_log_replay(const char *directory);

/// Does nothing the compiler can see through, so that two passes over the same objects are not taken for one.
void peer_between_passes(void);

/// Calls `work(context)` on so many threads at once and returns when all have come back.
peer_result peer_on_threads(size_t count, void (*work)(void *context), void *context);

/// The peak resident memory of this process in bytes, 0 where the system does not tell.
uint64_t peer_peak_memory(void);
/// Runs `arguments` (a NULL-terminated list, the program first) with its output discarded; `count` is its peak resident memory in bytes.
/// Only of use in a process smaller than the one it starts, for the peak begins with the parent's.
peer_result peer_run(char *const *arguments);
/// Runs `arguments` and reads the one number it prints into `count`.
peer_result peer_read_number(char *const *arguments);

#endif
