// Reads request bodies into flat arrays, in one walk over the bytes.
//
// Tables describe the protocols; the reader itself knows none. The arrays point into the body (or, for texts with
// escapes, into memory of the reader) and are valid until the reader's next use. The reader allocates nothing per event,
// doesn't recurse, and doesn't trust its input.
#ifndef CTERNJSON_H
#define CTERNJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A run of UTF-8 bytes; `start` is NULL when the member was absent or null.
typedef struct {
  const uint8_t *start;
  uint32_t length;
} tern_text;

typedef enum {
  TERN_VALUE_TEXT = 0,
  TERN_VALUE_INTEGER = 1,
  TERN_VALUE_DOUBLE = 2,
  TERN_VALUE_TRUE = 3,
  TERN_VALUE_FALSE = 4,
  /// `{"date":milliseconds}`, in `integer`.
  TERN_VALUE_DATE = 5,
  /// A number that needs a correctly rounding parser; its digits are in `text`.
  TERN_VALUE_NUMBER_TEXT = 6,
  /// An object or array, as raw JSON in `text`.
  TERN_VALUE_RAW = 7,
  TERN_VALUE_NULL = 8,
} tern_value_kind;

typedef struct {
  tern_text text;
  int64_t integer;
  double number;
  uint8_t kind;
} tern_value;

typedef struct {
  tern_text name;
  tern_value value;
  /// True for a member of a list of typed properties.
  bool is_typed;
  /// The type that such a property declares.
  tern_text type;
} tern_property;

enum {
  TERN_RECORD_TEXTS = 8,
  TERN_RECORD_VALUES = 2,
  TERN_RECORD_BLOCKS = 2,
  TERN_BLOCK_TEXTS = 12,
  TERN_BLOCK_VALUES = 1,
  /// The maximum number of fields of one table, and the maximum length of a field's name in bytes.
  TERN_MAXIMUM_FIELDS = 32,
  TERN_MAXIMUM_FIELD_NAME = 31,
};

/// An object that nearly all records of a request repeat byte for byte, such as the description of the device.
typedef struct {
  tern_text raw;
  tern_text texts[TERN_BLOCK_TEXTS];
  tern_value values[TERN_BLOCK_VALUES];
} tern_block;

/// One event or log.
typedef struct {
  /// The object as sent.
  tern_text raw;
  /// Its position among the lines or elements of the request, counted from 0; blank lines and nulls count, contexts
  /// don't.
  uint32_t index;
  bool is_object;
  /// True for an object with a context: it is no event, and its members hold for the records after it.
  bool is_context;
  tern_text texts[TERN_RECORD_TEXTS];
  /// Kind `TERN_VALUE_NULL` when absent.
  tern_value values[TERN_RECORD_VALUES];
  /// Indexes into the blocks; -1 when absent.
  int32_t blocks[TERN_RECORD_BLOCKS];
  uint32_t first_property, property_count;
} tern_record;

typedef enum {
  /// A text; anything else counts as absent. In blocks numbers count as the text of their digits.
  TERN_FIELD_TEXT = 0,
  /// Any value.
  TERN_FIELD_VALUE = 1,
  /// A block; only in records.
  TERN_FIELD_BLOCK = 2,
  /// An object with a member for each property; only in records.
  TERN_FIELD_PROPERTIES = 3,
  /// An array with an object for each property; only in records.
  TERN_FIELD_TYPED_PROPERTIES = 4,
  /// An object with texts, values and blocks of the record; only in records of lines.
  TERN_FIELD_CONTEXT = 5,
} tern_field_kind;

/// A member of a protocol, and the place in the record or block where its value goes.
typedef struct {
  const uint8_t *name;
  uint32_t length;
  uint8_t kind;
  /// Index into the texts, values or blocks.
  uint8_t slot;
} tern_field;

/// The form of a protocol's bodies: everything that the reader knows about a protocol.
typedef struct {
  /// The member of the body's object that lists the records; without a start, each line is a record.
  tern_text list;
  const tern_field *record_fields;
  uint32_t record_field_count;
  const tern_field *block_fields;
  uint32_t block_field_count;
  /// The only member of an object that stands for a date, in whole milliseconds.
  tern_text date;
  /// The members of a typed property.
  tern_text property_name, property_type, property_value;
  /// True if a second block of one name makes a record malformed; otherwise the last one counts.
  bool rejects_second_block;
} tern_protocol;

typedef enum {
  TERN_STATUS_OK = 0,
  TERN_STATUS_MALFORMED = 1,
  TERN_STATUS_TOO_MANY = 2,
  TERN_STATUS_NO_MEMORY = 3,
} tern_status;

typedef struct {
  tern_status status;
  /// The reason for a failure: static text, never NULL.
  const char *message;
  /// Byte offset into the body at which reading failed.
  size_t position;
  /// The line or log in which it failed; -1 if outside of any.
  int64_t index;
  /// Lines: the first 2,000 unreadable ones in order, beginning with the one at `index`.
  /// Lists: with success, the elements that are not JSON and not among the records, in order.
  const uint32_t *faults;
  size_t fault_count;
  const tern_record *records;
  size_t record_count;
  const tern_property *properties;
  size_t property_count;
  const tern_block *blocks;
  size_t block_count;
} tern_result;

typedef struct tern_reader tern_reader;

/// Takes a reader from the pool or creates one; NULL without memory. Safe on any thread.
tern_reader *tern_reader_borrow(void);
/// Returns a reader to the pool and frees excess memory. Safe on any thread.
void tern_reader_return(tern_reader *reader);

/// Reads a body. The result points into `body` and the reader; `protocol` must outlive the call only.
tern_result tern_read(
  tern_reader *reader, const uint8_t *body, size_t length, const tern_protocol *protocol,
  uint32_t maximum_records, uint32_t maximum_properties);

#ifdef __cplusplus
}
#endif
#endif
