#ifndef CGRABEN_RECORDS_H
#define CGRABEN_RECORDS_H
#include <stddef.h>
#include <stdint.h>

// Fields of records, tested where the records lie. What a record looks like is in FileFormat.md. No byte of a record can make these read
// outside the window it lies in.

/// The parts of a record after its head, in their order.
enum { GRABEN_INTEGERS = 0, GRABEN_FIXED8 = 1, GRABEN_FIXED4 = 2, GRABEN_FIXED16 = 3, GRABEN_VARIABLE = 4 };

/// Where one field stands in records of one layout, of at most 64 optional fields.
///
/// What stands before a field depends on which others are null: how many of a part's are is a count of bits of the null bitmap.
typedef struct {
    uint32_t layout;
    uint32_t part;
    /// Among the fields of its part.
    uint32_t position;
    /// Bytes of a field of the part; 0 where they differ.
    uint32_t size;
    uint32_t mask_bytes, null_bytes;
    /// Bits of the null bitmap: the field's own, those of the fields before it in its part, and those of whole parts before it.
    uint64_t own, earlier, integers, fixed8, fixed4, fixed16;
    uint32_t integer_count;
    /// Bytes of the parts of fixed size before its own, when none is null.
    uint32_t fixed_bytes;
    /// How far behind the head, or the changed mask, the field begins where none is null, a variable one the first of its part; -1 where that
    /// depends on the sizes of integers.
    int64_t plain_offset;
} graben_field;

/// A field's bytes; of a text, those stored.
typedef struct {
    const uint8_t *bytes;
    size_t count;
} graben_found;

enum { GRABEN_FOUND, GRABEN_FOUND_COMPRESSED, GRABEN_NULL, GRABEN_MALFORMED };

/// Finds a field in a record: its bytes from behind the flags to its end. Writes `found` where the answer is one of the first two.
int graben_find_field(const graben_field *field, uint8_t flags, const uint8_t *bytes, size_t count, graben_found *found);

enum {
    /// The field is null.
    GRABEN_TEST_NULL,
    /// A double, float, whole number or truth value lies between two; NaN and null do not.
    GRABEN_TEST_F64,
    GRABEN_TEST_F32,
    GRABEN_TEST_INT,
    GRABEN_TEST_BOOL,
    /// A text is another, or begins with it.
    GRABEN_TEST_EQUAL,
    GRABEN_TEST_PREFIX,
    /// It is not null; what it says of it, the caller does.
    GRABEN_TEST_FOUND,
};

typedef struct {
    int kind;
    int64_t least, greatest;
    double low, high;
    const uint8_t *text;
    size_t text_count;
} graben_test;

/// Memory in which records lie whose address words are from `start` up to `end`, one byte for each word.
///
/// Records before `unchecked_end` count only where the bits of all their units, of 2^unit_bits words, are set in `checked`.
typedef struct {
    const uint8_t *bytes;
    uint64_t start, end;
    uint64_t unchecked_end;
    const uint64_t *checked;
    uint32_t unit_bits;
} graben_window;

/// The slots of a batch: for each the address word of its record, 0 where there is none, and the row, which is `first_row` and the slot's
/// number where `rows` is NULL.
typedef struct {
    const uint64_t *words;
    const uint32_t *rows;
    uint32_t first_row;
} graben_batch;

/// The first and the last address word met that lies in units not checked; the first is the greater where there is none.
typedef struct {
    uint64_t first, last;
} graben_unchecked;

/// Tests a field of the records of 1,024 slots. Sets in `passed` the bits of those in `candidates` that pass, and in `left` those it cannot
/// answer for: outside of the window, of another layout or row, in units not checked, of a compressed text, or malformed. Clears the others;
/// `left` may be `candidates`. For GRABEN_TEST_FOUND writes the places of those that pass to `found`, by slot.
void graben_test_records(const graben_window *window, const graben_batch *batch, const graben_field *field, const graben_test *test,
                         const uint64_t *candidates, uint64_t *passed, uint64_t *left, graben_found *found,
                         graben_unchecked *unchecked);

/// What graben_read_integers says of a field that is null, and of one that it leaves to the caller.
static const uint64_t GRABEN_VALUE_NULL = UINT64_MAX - 1, GRABEN_VALUE_LEFT = UINT64_MAX;

/// Reads fields of the integer part, all of one layout, of the records of `count` rows that follow one another; `batch` has no rows of its own.
/// Writes their bits, field by field. Leaves to the caller what graben_test_records does.
void graben_read_integers(const graben_window *window, const graben_batch *batch, size_t count, const graben_field *fields,
                          size_t field_count, uint64_t *values, graben_unchecked *unchecked);

/// Makes words of `count` offsets of 32 bits, aligned or not: 0 of 0, and of others `base` and the offset less one.
void graben_widen_offsets(const void *offsets, size_t count, uint64_t base, uint64_t *words);

#endif
