#include "support.h"
#if !defined(GRABEN_PEER_LMDB)
const peer_engine *peer_lmdb(void) { return NULL; }
#else
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// As LMDB's documentation advises: integer keys, MDB_APPEND for sorted loads, one read transaction around many reads, values read in place.

typedef struct {
    double position[3];
    uint8_t name[PEER_NAME_BYTES];
} __attribute__((packed)) joint;

typedef struct {
    size_t start, end;
} line;

typedef struct {
    MDB_env *environment;
    MDB_env *named_environment;  // opened at the first look-up by name
    MDB_dbi joints, lines, named;
    char directory[PEER_PATH_BYTES];
} store;

static peer_result failed(int code, const char *doing) { return peer_failed("LMDB: %s: %s", doing, mdb_strerror(code)); }

// Calls that must succeed; `leave` undoes what is open.
#define CHECK(call)                       \
    do {                                  \
        if ((code = (call)) != 0) goto leave; \
    } while (0)

static int open_environment(const char *directory, const char *name, MDB_env **environment) {
    char path[PEER_PATH_BYTES];
    peer_path(path, directory, name);
    int code;
    CHECK(mdb_env_create(environment));
    CHECK(mdb_env_set_mapsize(*environment, (size_t)4 << 30));
    CHECK(mdb_env_set_maxdbs(*environment, 2));
    CHECK(mdb_env_open(*environment, path, MDB_NOSUBDIR, 0644));
leave:
    return code;
}

static void close_store(void *opened) {
    store *store = opened;
    if (store == NULL) return;
    mdb_env_close(store->environment);
    if (store->named_environment != NULL) mdb_env_close(store->named_environment);
    free(store);
}

static store *open_with(const char *directory, unsigned flags) {
    store *store = calloc(1, sizeof(*store));
    if (store == NULL) return NULL;
    MDB_txn *transaction = NULL;
    int code;
    snprintf(store->directory, sizeof(store->directory), "%s", directory);
    CHECK(open_environment(directory, "network.lmdb", &store->environment));
    CHECK(mdb_txn_begin(store->environment, NULL, flags == 0 ? MDB_RDONLY : 0, &transaction));
    CHECK(mdb_dbi_open(transaction, "joints", MDB_INTEGERKEY | flags, &store->joints));
    CHECK(mdb_dbi_open(transaction, "lines", MDB_INTEGERKEY | flags, &store->lines));
    CHECK(mdb_txn_commit(transaction));
    return store;
leave:
    failed(code, "open");
    mdb_txn_abort(transaction);
    close_store(store);
    return NULL;
}

static void *open_store(const char *directory) { return open_with(directory, 0); }

static MDB_val value_of(const void *bytes, size_t size) { return (MDB_val){.mv_size = size, .mv_data = (void *)bytes}; }

#pragma mark - Writing

static void fill(joint *record, const peer_network *network, size_t row) {
    record->position[0] = network->x[row];
    record->position[1] = network->y[row];
    record->position[2] = network->z[row];
    memcpy(record->name, network->names + row * PEER_NAME_BYTES, PEER_NAME_BYTES);
}

static peer_result load(const char *directory, const peer_network *network) {
    const double began = peer_now();
    store *store = open_with(directory, MDB_CREATE);
    if (store == NULL) return (peer_result){.nanoseconds = -1};
    MDB_txn *transaction = NULL;
    int code;
    CHECK(mdb_txn_begin(store->environment, NULL, 0, &transaction));
    for (size_t row = 0; row < network->count; row++) {
        joint record;
        fill(&record, network, row);
        MDB_val key = value_of(&row, sizeof(row)), value = value_of(&record, sizeof(record));
        CHECK(mdb_put(transaction, store->joints, &key, &value, MDB_APPEND));
    }
    for (size_t row = 0; row < network->count; row++) {
        line record = {network->starts[row], network->ends[row]};
        MDB_val key = value_of(&row, sizeof(row)), value = value_of(&record, sizeof(record));
        CHECK(mdb_put(transaction, store->lines, &key, &value, MDB_APPEND));
    }
    code = mdb_txn_commit(transaction);
    transaction = NULL;
leave:
    mdb_txn_abort(transaction);
    const double took = peer_now() - began;
    close_store(store);
    return code == 0 ? (peer_result){.nanoseconds = took} : failed(code, "load");
}

static int by_name(const void *a, const void *b) {
    return memcmp(((const joint *)a)->name, ((const joint *)b)->name, PEER_NAME_BYTES);
}

static peer_result load_names(const char *directory, const peer_network *network) {
    joint *records = malloc(network->count * sizeof(joint));
    if (records == NULL) return peer_failed("LMDB: no memory to sort the names");
    for (size_t row = 0; row < network->count; row++) fill(records + row, network, row);
    qsort(records, network->count, sizeof(joint), by_name);
    const double began = peer_now();
    MDB_env *environment = NULL;
    MDB_txn *transaction = NULL;
    MDB_dbi named;
    int code;
    CHECK(open_environment(directory, "names.lmdb", &environment));
    CHECK(mdb_txn_begin(environment, NULL, 0, &transaction));
    CHECK(mdb_dbi_open(transaction, "named", MDB_CREATE, &named));
    for (size_t i = 0; i < network->count; i++) {
        MDB_val key = value_of(records[i].name, PEER_NAME_BYTES), value = value_of(records[i].position, sizeof(records[i].position));
        CHECK(mdb_put(transaction, named, &key, &value, MDB_APPEND));
    }
    code = mdb_txn_commit(transaction);
    transaction = NULL;
leave:
    mdb_txn_abort(transaction);
    if (environment != NULL) mdb_env_close(environment);
    free(records);
    return code == 0 ? (peer_result){.nanoseconds = peer_now() - began} : failed(code, "load names");
}

static int move_one(MDB_txn *transaction, MDB_dbi joints, uint32_t row, double delta) {
    size_t id = row;
    MDB_val key = value_of(&id, sizeof(id)), value;
    int code;
    CHECK(mdb_get(transaction, joints, &key, &value));
    joint record;
    memcpy(&record, value.mv_data, sizeof(record));
    record.position[2] += delta;
    value = value_of(&record, sizeof(record));
    CHECK(mdb_put(transaction, joints, &key, &value, 0));
leave:
    return code;
}

static peer_result update_in(store *store, const uint32_t *rows, size_t count, size_t each, double delta) {
    const double began = peer_now();
    MDB_txn *transaction = NULL;
    int code = 0;
    for (size_t i = 0; i < count; i += each) {
        CHECK(mdb_txn_begin(store->environment, NULL, 0, &transaction));
        for (size_t k = i; k < i + each && k < count; k++) CHECK(move_one(transaction, store->joints, rows[k], delta));
        code = mdb_txn_commit(transaction);
        transaction = NULL;
        if (code != 0) goto leave;
    }
leave:
    mdb_txn_abort(transaction);
    return code == 0 ? (peer_result){.nanoseconds = peer_now() - began, .count = count} : failed(code, "update");
}

static peer_result update(void *opened, const uint32_t *rows, size_t count, double delta) {
    return update_in(opened, rows, count, count, delta);
}

static peer_result commit_each(void *opened, const uint32_t *rows, size_t count, double delta) {
    return update_in(opened, rows, count, 1, delta);
}

static int delete_odd(MDB_txn *transaction, MDB_dbi database) {
    MDB_cursor *cursor = NULL;
    MDB_val key, value;
    int code;
    CHECK(mdb_cursor_open(transaction, database, &cursor));
    for (code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST); code == 0; code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
        size_t id;
        memcpy(&id, key.mv_data, sizeof(id));
        if (id % 2 == 1) CHECK(mdb_cursor_del(cursor, 0));
    }
    if (code == MDB_NOTFOUND) code = 0;
leave:
    if (cursor != NULL) mdb_cursor_close(cursor);
    return code;
}

static peer_result halve(const char *directory) {
    store *store = open_store(directory);
    if (store == NULL) return (peer_result){.nanoseconds = -1};
    const double began = peer_now();
    MDB_txn *transaction = NULL;
    int code;
    CHECK(mdb_txn_begin(store->environment, NULL, 0, &transaction));
    CHECK(delete_odd(transaction, store->joints));
    CHECK(delete_odd(transaction, store->lines));
    code = mdb_txn_commit(transaction);
    transaction = NULL;
leave:
    mdb_txn_abort(transaction);
    const double took = peer_now() - began;
    close_store(store);
    return code == 0 ? (peer_result){.nanoseconds = took} : failed(code, "delete");
}

static peer_result size(const char *directory) {
    char path[PEER_PATH_BYTES];
    peer_path(path, directory, "network.lmdb");
    return (peer_result){.count = peer_file_size(path)};
}

static peer_result compact(const char *directory) {
    store *store = open_store(directory);
    if (store == NULL) return (peer_result){.nanoseconds = -1};
    char path[PEER_PATH_BYTES], copy[PEER_PATH_BYTES];
    peer_path(path, directory, "network.lmdb");
    peer_path(copy, directory, "compact.lmdb");
    unlink(copy);
    const double began = peer_now();
    const int code = mdb_env_copy2(store->environment, copy, MDB_CP_COMPACT);
    const double took = peer_now() - began;
    close_store(store);
    if (code != 0) return failed(code, "compact");
    if (rename(copy, path) != 0) return peer_failed("LMDB: cannot rename the compacted copy over %s", path);
    return (peer_result){.nanoseconds = took, .count = peer_file_size(path)};
}

#pragma mark - Reading

static double sum_of(MDB_val value) {
    double position[3];
    memcpy(position, value.mv_data, sizeof(position));
    return position[0] + position[1] + position[2];
}

static int add_row(MDB_txn *transaction, MDB_dbi joints, size_t id, double *sum) {
    MDB_val key = value_of(&id, sizeof(id)), value;
    const int code = mdb_get(transaction, joints, &key, &value);
    if (code == 0) *sum += sum_of(value);
    return code;
}

static peer_result lookup(void *opened, const uint32_t *rows, size_t count) {
    store *store = opened;
    peer_result result = {.count = count};
    const double began = peer_now();
    MDB_txn *transaction = NULL;
    int code;
    CHECK(mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &transaction));
    for (size_t i = 0; i < count; i++) CHECK(add_row(transaction, store->joints, rows[i], &result.sum));
leave:
    mdb_txn_abort(transaction);
    result.nanoseconds = peer_now() - began;
    return code == 0 ? result : failed(code, "look up by id");
}

static int open_names(store *store) {
    MDB_txn *transaction = NULL;
    int code;
    CHECK(open_environment(store->directory, "names.lmdb", &store->named_environment));
    CHECK(mdb_txn_begin(store->named_environment, NULL, MDB_RDONLY, &transaction));
    CHECK(mdb_dbi_open(transaction, "named", 0, &store->named));
    code = mdb_txn_commit(transaction);
    transaction = NULL;
leave:
    mdb_txn_abort(transaction);
    return code;
}

static peer_result lookup_names(void *opened, const uint8_t *names, size_t count) {
    store *store = opened;
    peer_result result = {.count = count};
    MDB_txn *transaction = NULL;
    int code;
    double began = peer_now();
    if (store->named_environment == NULL) CHECK(open_names(store));
    began = peer_now();
    CHECK(mdb_txn_begin(store->named_environment, NULL, MDB_RDONLY, &transaction));
    for (size_t i = 0; i < count; i++) {
        MDB_val key = value_of(names + i * PEER_NAME_BYTES, PEER_NAME_BYTES), value;
        CHECK(mdb_get(transaction, store->named, &key, &value));
        result.sum += sum_of(value);
    }
leave:
    mdb_txn_abort(transaction);
    result.nanoseconds = peer_now() - began;
    return code == 0 ? result : failed(code, "look up by name");
}

typedef enum { SCAN, FILTER } walk;

static peer_result walk_joints(store *store, walk kind, double low, double high, char letter) {
    peer_result result = {0};
    const double began = peer_now();
    MDB_txn *transaction = NULL;
    MDB_cursor *cursor = NULL;
    MDB_val key, value;
    int code;
    CHECK(mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &transaction));
    CHECK(mdb_cursor_open(transaction, store->joints, &cursor));
    for (code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST); code == 0; code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
        if (kind == SCAN) {
            result.sum += sum_of(value);
            result.count++;
        } else {
            double x;
            memcpy(&x, value.mv_data, sizeof(x));
            result.count += x >= low && x <= high && ((const joint *)value.mv_data)->name[0] == (uint8_t)letter;
        }
    }
    if (code == MDB_NOTFOUND) code = 0;
leave:
    if (cursor != NULL) mdb_cursor_close(cursor);
    mdb_txn_abort(transaction);
    result.nanoseconds = peer_now() - began;
    return code == 0 ? result : failed(code, kind == SCAN ? "scan" : "filter");
}

static peer_result scan(void *opened) { return walk_joints(opened, SCAN, 0, 0, 0); }

static peer_result filter(void *opened, double low, double high, char letter) { return walk_joints(opened, FILTER, low, high, letter); }

static peer_result traverse(void *opened) {
    store *store = opened;
    peer_result result = {0};
    const double began = peer_now();
    MDB_txn *transaction = NULL;
    MDB_cursor *cursor = NULL;
    MDB_val key, value;
    int code;
    CHECK(mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &transaction));
    CHECK(mdb_cursor_open(transaction, store->lines, &cursor));
    for (code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST); code == 0; code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
        line ends;
        memcpy(&ends, value.mv_data, sizeof(ends));
        CHECK(add_row(transaction, store->joints, ends.start, &result.sum));
        CHECK(add_row(transaction, store->joints, ends.end, &result.sum));
        result.count++;
    }
    if (code == MDB_NOTFOUND) code = 0;
leave:
    if (cursor != NULL) mdb_cursor_close(cursor);
    mdb_txn_abort(transaction);
    result.nanoseconds = peer_now() - began;
    return code == 0 ? result : failed(code, "traverse");
}

static peer_result open_and_read(const char *directory, uint32_t row) {
    const double began = peer_now();
    store *store = open_store(directory);
    if (store == NULL) return (peer_result){.nanoseconds = -1};
    peer_result result = {.count = 1};
    MDB_txn *transaction = NULL;
    int code;
    CHECK(mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &transaction));
    CHECK(add_row(transaction, store->joints, row, &result.sum));
leave:
    result.nanoseconds = peer_now() - began;
    mdb_txn_abort(transaction);
    close_store(store);
    return code == 0 ? result : failed(code, "read the first joint");
}

const peer_engine *peer_lmdb(void) {
    static const peer_engine engine = {
        .name = "lmdb", .settings = "integer keys, MDB_APPEND, one transaction around many reads, each commit synced",
        .load = load, .load_names = load_names, .size = size, .open = open_store, .close = close_store, .open_and_read = open_and_read,
        .lookup = lookup, .lookup_names = lookup_names, .scan = scan, .traverse = traverse, .filter = filter, .update = update,
        .commit_each = commit_each, .halve = halve, .compact = compact,
    };
    return &engine;
}
#endif
