#include "support.h"
#if !defined(GRABEN_PEER_SQLITE)
const peer_engine *peer_sqlite(void) { return NULL; }
#else
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// As SQLite's documentation advises for a local application: WAL, prepared statements, everything in explicit transactions, integer primary
// keys. Scans and joins are left to the engine, which does them faster than a loop around it.

typedef enum { LOOKUP, LOOKUP_NAME, SCAN, TRAVERSE, FILTER, RANGE, GREATEST, MOVE, STATEMENTS } statement;

static const char *const sql[STATEMENTS] = {
    [LOOKUP] = "SELECT x, y, z FROM joint WHERE id = ?1",
    [LOOKUP_NAME] = "SELECT x, y, z FROM names.named WHERE name = ?1",
    [SCAN] = "SELECT sum(x + y + z) FROM joint",
    [TRAVERSE] = ("SELECT sum(a.x + a.y + a.z + b.x + b.y + b.z) FROM line CROSS JOIN joint a CROSS JOIN joint b"
                 " WHERE a.id = line.start AND b.id = line.finish"),
    [FILTER] = "SELECT count(*) FROM joint WHERE x BETWEEN ?1 AND ?2 AND name >= ?3 AND name < ?4",
    [RANGE] = "SELECT name FROM names.named WHERE x BETWEEN ?1 AND ?2",
    [GREATEST] = "SELECT x, y, z FROM names.named ORDER BY x DESC LIMIT ?1",
    [MOVE] = "UPDATE joint SET z = z + ?1 WHERE id = ?2",
};

typedef struct {
    sqlite3 *database;
    sqlite3_stmt *prepared[STATEMENTS];
    char directory[PEER_PATH_BYTES];
    bool has_names;
} store;

static peer_result failed(const store *store, const char *doing) {
    return peer_failed("SQLite: %s: %s", doing, store == NULL ? "not open" : sqlite3_errmsg(store->database));
}

static bool run(store *store, const char *text) { return sqlite3_exec(store->database, text, NULL, NULL, NULL) == SQLITE_OK; }

// Prepared at first use, so that opening pays for nothing it does not need.
static sqlite3_stmt *prepared(store *store, statement which) {
    if (store->prepared[which] == NULL) {
        sqlite3_prepare_v3(store->database, sql[which], -1, SQLITE_PREPARE_PERSISTENT, &store->prepared[which], NULL);
    }
    return store->prepared[which];
}

static void close_store(void *opened) {
    store *store = opened;
    if (store == NULL) return;
    for (int i = 0; i < STATEMENTS; i++) sqlite3_finalize(store->prepared[i]);
    sqlite3_close(store->database);
    free(store);
}

static store *open_file(const char *directory, const char *name) {
    store *store = calloc(1, sizeof(*store));
    if (store == NULL) return NULL;
    char path[PEER_PATH_BYTES];
    peer_path(path, directory, name);
    snprintf(store->directory, sizeof(store->directory), "%s", directory);
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &store->database, flags, NULL) == SQLITE_OK && run(store, "PRAGMA journal_mode = WAL")
        && run(store, "PRAGMA synchronous = FULL; PRAGMA cache_size = -262144; PRAGMA mmap_size = 1073741824")) {
        return store;
    }
    failed(store, "open");
    close_store(store);
    return NULL;
}

static void *open_store(const char *directory) { return open_file(directory, "network.sqlite"); }

#pragma mark - Writing

static peer_result load(const char *directory, const peer_network *network) {
    store *store = open_store(directory);
    sqlite3_stmt *joint = NULL, *line = NULL;
    if (store == NULL) return (peer_result){.nanoseconds = -1};
    peer_result result = {0};
    const double began = peer_now();
    bool good = run(store, "CREATE TABLE joint (id INTEGER PRIMARY KEY, x REAL, y REAL, z REAL, name TEXT);"
                           "CREATE TABLE line (id INTEGER PRIMARY KEY, start INTEGER, finish INTEGER); BEGIN")
                && sqlite3_prepare_v2(store->database, "INSERT INTO joint VALUES (?1, ?2, ?3, ?4, ?5)", -1, &joint, NULL) == SQLITE_OK
                && sqlite3_prepare_v2(store->database, "INSERT INTO line VALUES (?1, ?2, ?3)", -1, &line, NULL) == SQLITE_OK;
    for (size_t i = 0; good && i < network->count; i++) {
        sqlite3_bind_int64(joint, 1, (sqlite3_int64)i);
        sqlite3_bind_double(joint, 2, network->x[i]);
        sqlite3_bind_double(joint, 3, network->y[i]);
        sqlite3_bind_double(joint, 4, network->z[i]);
        sqlite3_bind_text(joint, 5, (const char *)network->names + i * PEER_NAME_BYTES, PEER_NAME_BYTES, SQLITE_STATIC);
        good = sqlite3_step(joint) == SQLITE_DONE && sqlite3_reset(joint) == SQLITE_OK;
    }
    for (size_t i = 0; good && i < network->count; i++) {
        sqlite3_bind_int64(line, 1, (sqlite3_int64)i);
        sqlite3_bind_int64(line, 2, network->starts[i]);
        sqlite3_bind_int64(line, 3, network->ends[i]);
        good = sqlite3_step(line) == SQLITE_DONE && sqlite3_reset(line) == SQLITE_OK;
    }
    good = good && run(store, "COMMIT");
    result.nanoseconds = peer_now() - began;
    if (!good) result = failed(store, "load");
    sqlite3_finalize(joint);
    sqlite3_finalize(line);
    close_store(store);
    return result;
}

static peer_result load_names(const char *directory, const peer_network *network) {
    store *store = open_file(directory, "names.sqlite");
    sqlite3_stmt *insert = NULL;
    if (store == NULL) return (peer_result){.nanoseconds = -1};
    const double began = peer_now();
    bool good = run(store, "CREATE TABLE named (name TEXT PRIMARY KEY, x REAL, y REAL, z REAL) WITHOUT ROWID; BEGIN")
                && sqlite3_prepare_v2(store->database, "INSERT INTO named VALUES (?1, ?2, ?3, ?4)", -1, &insert, NULL) == SQLITE_OK;
    for (size_t i = 0; good && i < network->count; i++) {
        sqlite3_bind_text(insert, 1, (const char *)network->names + i * PEER_NAME_BYTES, PEER_NAME_BYTES, SQLITE_STATIC);
        sqlite3_bind_double(insert, 2, network->x[i]);
        sqlite3_bind_double(insert, 3, network->y[i]);
        sqlite3_bind_double(insert, 4, network->z[i]);
        good = sqlite3_step(insert) == SQLITE_DONE && sqlite3_reset(insert) == SQLITE_OK;
    }
    good = good && run(store, "CREATE INDEX names_x ON named (x)") && run(store, "COMMIT");
    const peer_result result = good ? (peer_result){.nanoseconds = peer_now() - began} : failed(store, "load names");
    sqlite3_finalize(insert);
    close_store(store);
    return result;
}

static bool move_one(store *store, sqlite3_stmt *move, uint32_t row, double delta) {
    sqlite3_bind_double(move, 1, delta);
    sqlite3_bind_int64(move, 2, row);
    return sqlite3_step(move) == SQLITE_DONE && sqlite3_reset(move) == SQLITE_OK && sqlite3_changes(store->database) == 1;
}

static peer_result update(void *opened, const uint32_t *rows, size_t count, double delta) {
    store *store = opened;
    const double began = peer_now();
    sqlite3_stmt *move = prepared(store, MOVE);
    bool good = run(store, "BEGIN");
    for (size_t i = 0; good && i < count; i++) good = move_one(store, move, rows[i], delta);
    good = good && run(store, "COMMIT");
    return good ? (peer_result){.nanoseconds = peer_now() - began, .count = count} : failed(store, "update");
}

static peer_result commit_each(void *opened, const uint32_t *rows, size_t count, double delta) {
    store *store = opened;
    const double began = peer_now();
    sqlite3_stmt *move = prepared(store, MOVE);
    bool good = true;
    for (size_t i = 0; good && i < count; i++) good = move_one(store, move, rows[i], delta);  // each its own transaction
    return good ? (peer_result){.nanoseconds = peer_now() - began, .count = count} : failed(store, "commit");
}

static peer_result halve(const char *directory) {
    store *store = open_store(directory);
    if (store == NULL) return (peer_result){.nanoseconds = -1};
    const double began = peer_now();
    const bool good = run(store, "BEGIN; DELETE FROM joint WHERE id % 2 = 1; DELETE FROM line WHERE id % 2 = 1; COMMIT");
    const peer_result result = good ? (peer_result){.nanoseconds = peer_now() - began} : failed(store, "delete");
    close_store(store);
    return result;
}

static peer_result size(const char *directory) {
    uint64_t total = 0;
    const char *const names[] = {"network.sqlite", "network.sqlite-wal"};
    for (int i = 0; i < 2; i++) {
        char path[PEER_PATH_BYTES];
        peer_path(path, directory, names[i]);
        total += peer_file_size(path);
    }
    return (peer_result){.count = total};
}

static peer_result compact(const char *directory) {
    store *store = open_store(directory);
    if (store == NULL) return (peer_result){.nanoseconds = -1};
    const double began = peer_now();
    const bool good = run(store, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    const double took = peer_now() - began;
    if (!good) failed(store, "VACUUM");
    close_store(store);
    return good ? (peer_result){.nanoseconds = took, .count = size(directory).count} : (peer_result){.nanoseconds = -1};
}

#pragma mark - Reading

static bool add_row(sqlite3_stmt *statement, double *sum) {
    if (sqlite3_step(statement) != SQLITE_ROW) return false;
    *sum += sqlite3_column_double(statement, 0) + sqlite3_column_double(statement, 1) + sqlite3_column_double(statement, 2);
    return sqlite3_reset(statement) == SQLITE_OK;
}

// Look-ups run in one read transaction; without it SQLite takes and gives back its read lock a million times.
static peer_result lookup(void *opened, const uint32_t *rows, size_t count) {
    store *store = opened;
    peer_result result = {.count = count};
    const double began = peer_now();
    sqlite3_stmt *find = prepared(store, LOOKUP);
    bool good = run(store, "BEGIN");
    for (size_t i = 0; good && i < count; i++) {
        sqlite3_bind_int64(find, 1, rows[i]);
        good = add_row(find, &result.sum);
    }
    good = run(store, "COMMIT") && good;
    result.nanoseconds = peer_now() - began;
    return good ? result : failed(store, "look up by id");
}

// Opens the store of `load_names` beside the other, once.
static bool attach_names(store *store) {
    if (store->has_names) return true;
    char path[PEER_PATH_BYTES];
    peer_path(path, store->directory, "names.sqlite");
    sqlite3_stmt *attach = NULL;
    const bool attached = sqlite3_prepare_v2(store->database, "ATTACH ?1 AS names", -1, &attach, NULL) == SQLITE_OK
                          && sqlite3_bind_text(attach, 1, path, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(attach) == SQLITE_DONE;
    sqlite3_finalize(attach);
    store->has_names = attached && run(store, "PRAGMA names.cache_size = -262144; PRAGMA names.mmap_size = 1073741824");
    return store->has_names;
}

static peer_result lookup_names(void *opened, const uint8_t *names, size_t count) {
    store *store = opened;
    peer_result result = {.count = count};
    if (!attach_names(store)) return failed(store, "attach the names");
    const double began = peer_now();
    sqlite3_stmt *find = prepared(store, LOOKUP_NAME);
    bool good = run(store, "BEGIN");
    for (size_t i = 0; good && i < count; i++) {
        sqlite3_bind_text(find, 1, (const char *)names + i * PEER_NAME_BYTES, PEER_NAME_BYTES, SQLITE_STATIC);
        good = add_row(find, &result.sum);
    }
    good = run(store, "COMMIT") && good;
    result.nanoseconds = peer_now() - began;
    return good ? result : failed(store, "look up by name");
}

static peer_result aggregate(store *store, statement which, const char *doing) {
    const double began = peer_now();
    sqlite3_stmt *query = prepared(store, which);
    if (sqlite3_step(query) != SQLITE_ROW) return failed(store, doing);
    const peer_result result = {
        .nanoseconds = peer_now() - began,
        .sum = sqlite3_column_double(query, 0),
        .count = (uint64_t)sqlite3_column_int64(query, 0),
    };
    sqlite3_reset(query);
    return result;
}

static peer_result scan(void *opened) { return aggregate(opened, SCAN, "scan"); }

static peer_result traverse(void *opened) { return aggregate(opened, TRAVERSE, "join"); }

static peer_result filter(void *opened, double low, double high, char letter) {
    store *store = opened;
    sqlite3_stmt *query = prepared(store, FILTER);
    const char first[] = {letter}, next[] = {(char)(letter + 1)};
    sqlite3_bind_double(query, 1, low);
    sqlite3_bind_double(query, 2, high);
    sqlite3_bind_text(query, 3, first, 1, SQLITE_TRANSIENT);
    sqlite3_bind_text(query, 4, next, 1, SQLITE_TRANSIENT);
    return aggregate(store, FILTER, "filter");
}

static peer_result range(void *opened, double low, double high) {
    store *store = opened;
    if (!attach_names(store)) return failed(store, "attach the names");
    peer_result result = {0};
    const double began = peer_now();
    sqlite3_stmt *query = prepared(store, RANGE);
    sqlite3_bind_double(query, 1, low);
    sqlite3_bind_double(query, 2, high);
    int code;
    while ((code = sqlite3_step(query)) == SQLITE_ROW) result.count++;
    sqlite3_reset(query);
    result.nanoseconds = peer_now() - began;
    return code == SQLITE_DONE ? result : failed(store, "range");
}

static peer_result greatest(void *opened, size_t limit) {
    store *store = opened;
    if (!attach_names(store)) return failed(store, "attach the names");
    peer_result result = {.count = limit};
    const double began = peer_now();
    sqlite3_stmt *query = prepared(store, GREATEST);
    sqlite3_bind_int64(query, 1, (sqlite3_int64)limit);
    int code;
    while ((code = sqlite3_step(query)) == SQLITE_ROW) result.sum += sqlite3_column_double(query, 0);
    sqlite3_reset(query);
    result.nanoseconds = peer_now() - began;
    return code == SQLITE_DONE ? result : failed(store, "greatest");
}

static peer_result open_and_read(const char *directory, uint32_t row) {
    const double began = peer_now();
    store *store = open_store(directory);
    if (store == NULL) return (peer_result){.nanoseconds = -1};
    peer_result result = {.count = 1};
    sqlite3_stmt *find = prepared(store, LOOKUP);
    sqlite3_bind_int64(find, 1, row);
    const bool good = add_row(find, &result.sum);
    result.nanoseconds = peer_now() - began;
    if (!good) result = failed(store, "read the first joint");
    close_store(store);
    return result;
}

const peer_engine *peer_sqlite(void) {
    static const peer_engine engine = {
        .name = "sqlite", .settings = "WAL, synchronous FULL, cache 256 MB, mmap 1 GB, prepared statements",
        .load = load, .load_names = load_names, .size = size, .open = open_store, .close = close_store, .open_and_read = open_and_read,
        .lookup = lookup, .lookup_names = lookup_names, .scan = scan, .traverse = traverse, .filter = filter, .range = range,
        .greatest = greatest, .update = update, .commit_each = commit_each, .halve = halve, .compact = compact,
    };
    return &engine;
}
#endif
