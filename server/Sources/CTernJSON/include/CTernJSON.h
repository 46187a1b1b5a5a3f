// Reads request bodies into flat arrays, in one walk over the positions that simdjson's first stage finds.
//
// The arrays point into the body (or, for texts with escapes, into memory of the reader) and are valid until the
// reader's next use. Nothing here allocates per event, recurses, or trusts its input.
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

typedef enum {
  TERN_DECLARED_NONE = 0,
  TERN_DECLARED_OTHER = 1,
  TERN_DECLARED_DOUBLE = 2,
  TERN_DECLARED_DATE = 3,
} tern_declared;

typedef struct {
  tern_text text;
  int64_t integer;
  double number;
  uint8_t kind;
} tern_value;

typedef struct {
  tern_text name;
  tern_value value;
  /// What `typedProperties` said the value is; `TERN_DECLARED_NONE` for plain properties.
  uint8_t declared;
} tern_property;

/// The known members of a `device` or `app` object.
typedef struct {
  tern_text raw;
  /// How many positions of the first stage the object takes: lets an equal one be stepped over.
  uint32_t positions;
  tern_text os_name, os_version, model, locale, country, carrier_country;
  tern_text app_version, app_build, sdk_name, sdk_version;
  /// Minutes east of UTC; 0 when absent.
  int64_t time_zone_offset;
} tern_device;

/// One event or log.
typedef struct {
  /// The object as it was sent.
  tern_text raw;
  /// Its position among the lines or logs of the request, counted from 0; blank lines and null logs count.
  uint32_t index;
  bool is_object;
  tern_text type, name, id, install, session, user, boot;
  /// Milliseconds since the device booted; -1 when absent or no whole number.
  int64_t uptime;
  /// The time as text or number; kind `TERN_VALUE_NULL` when absent.
  tern_value time;
  /// Index into the devices; -1 when absent.
  int32_t device;
  /// Index into the devices for the `app` object; -1 when absent.
  int32_t app;
  uint32_t first_property, property_count;
} tern_record;

typedef enum {
  /// One object a line, members of Tern's own protocol.
  TERN_SHAPE_LINES = 0,
  /// `{"logs":[…]}`, members of the App Center protocol.
  TERN_SHAPE_LOGS = 1,
} tern_shape;

typedef enum {
  TERN_STATUS_OK = 0,
  TERN_STATUS_MALFORMED = 1,
  TERN_STATUS_TOO_MANY = 2,
  TERN_STATUS_NO_MEMORY = 3,
} tern_status;

typedef struct {
  tern_status status;
  /// Why reading failed: static text, never NULL.
  const char *message;
  /// Byte offset into the body at which reading failed.
  size_t position;
  /// The line or log in which it failed; -1 when outside of any.
  int64_t index;
  /// Lines: all that cannot be read, in order, the one at `index` first; the first 2,000 of them. Lines end at line
  /// feeds whatever they hold, so one that cannot be read says nothing about the next.
  /// Logs: with success, those that are no JSON and are not among the records, in order.
  const uint32_t *faults;
  size_t fault_count;
  const tern_record *records;
  size_t record_count;
  const tern_property *properties;
  size_t property_count;
  const tern_device *devices;
  size_t device_count;
} tern_result;

typedef struct tern_reader tern_reader;

/// Takes a reader from the pool or makes one; NULL when there is no memory. Any thread.
tern_reader *tern_reader_borrow(void);
/// Gives a reader back; memory beyond the usual is freed. Any thread.
void tern_reader_return(tern_reader *reader);

/// Reads a body. The result points into `body` and the reader.
tern_result tern_read(
  tern_reader *reader, const uint8_t *body, size_t length, tern_shape shape, uint32_t maximum_records,
  uint32_t maximum_properties);

#ifdef __cplusplus
}
#endif
#endif
