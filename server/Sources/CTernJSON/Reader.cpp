#include "Reader.hpp"

#include "Escape.hpp"
#include "LogSplitter.hpp"

using tern::is;
using tern::Walker;

namespace {

bool text_member(Walker &walker, tern_text &out) {
  if (walker.peek() == '"') return walker.text(out);
  out = {nullptr, 0};
  return walker.skip();
}

bool is_blank(const uint8_t *start, const uint8_t *end) {
  for (; start < end; start += 1) {
    if (*start != ' ' && *start != '\t' && *start != '\r') return false;
  }
  return true;
}

}  // namespace

tern_result tern_reader::read(
  const uint8_t *body, size_t length, const tern_protocol &new_protocol, uint32_t new_maximum_records,
  uint32_t new_maximum_properties) {
  tern_result result = {};
  result.message = "";
  result.index = -1;
  protocol = new_protocol;
  record_fields = tern::FieldTable(protocol.record_fields, protocol.record_field_count);
  block_fields = tern::FieldTable(protocol.block_fields, protocol.block_field_count);
  maximum_records = new_maximum_records;
  maximum_properties = new_maximum_properties;
  status = TERN_STATUS_OK;
  records.clear();
  properties.clear();
  blocks.clear();
  faults.clear();
  contexts = 0;
  arena.begin(length);
  if (length >= UINT32_MAX) {
    result.message = "the body is too long";
    result.status = TERN_STATUS_TOO_MANY;
    return result;
  }
  if (!protocol.list.start) read_lines(body, length, result);
  else read_logs(body, length, result);
  result.status = status;
  result.records = records.data();
  result.record_count = records.size();
  result.properties = properties.data();
  result.property_count = properties.size();
  result.blocks = blocks.data();
  result.block_count = blocks.size();
  result.faults = faults.data();
  result.fault_count = faults.size();
  return result;
}

void tern_reader::trim() {
  constexpr size_t limit = 1 << 20;
  arena.trim(limit);
  if (properties.capacity() * sizeof(tern_property) > limit) properties = {};
  if (records.capacity() * sizeof(tern_record) > limit) records = {};
  if (blocks.capacity() * sizeof(tern_block) > limit) blocks = {};
}

/// Reads one line. Records the reason and position of a failure in `result`.
bool tern_reader::read_line(const uint8_t *line, size_t size, uint32_t index, tern_result &result) {
  Walker walker(line, size, arena);
  bool is_good = walker.peek() == '{' ? record(walker, index) : walker.fail("an object was expected");
  if (is_good && !walker.at_end()) is_good = walker.fail("a second value on one line");
  if (is_good) return true;
  result.message = walker.problem() ? walker.problem() : "";
  result.position = walker.offset();
  return false;
}

void tern_reader::read_lines(const uint8_t *body, size_t length, tern_result &result) {
  // A client drops the listed lines and sends the rest; a longer list wouldn't help it.
  constexpr size_t most_faults = 2000;
  const uint8_t *end = body + length, *line = body;
  tern_result ignored = {};
  for (uint32_t index = 0; line < end;) {
    size_t contexts_before = contexts;
    auto feed = static_cast<const uint8_t *>(std::memchr(line, '\n', size_t(end - line)));
    const uint8_t *line_end = feed ? feed : end;
    bool is_first = faults.empty();
    bool is_good = is_blank(line, line_end)
      || read_line(line, size_t(line_end - line), index, is_first ? result : ignored);
    if (!is_good) {
      if (is_first) {
        result.position += size_t(line - body);
        result.index = index;
      }
      if (status != TERN_STATUS_OK) break;
      faults.push_back(index);
      if (faults.size() == most_faults) break;
    }
    line = line_end + 1;
    if (!is_good || contexts == contexts_before) index += 1;
  }
  // The first error is reported, even if there are too many lines after it.
  if (!faults.empty()) status = TERN_STATUS_MALFORMED;
}

void tern_reader::read_logs(const uint8_t *body, size_t length, tern_result &result) {
  // Some clients' text encoders write a byte order mark.
  size_t mark = length >= 3 && std::memcmp(body, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  Walker walker(body + mark, length - mark, arena);
  int64_t index = -1;
  if (logs(walker, index)) return;
  result.message = walker.problem() ? walker.problem() : "";
  result.position = mark + walker.offset();
  result.index = index;
  if (status != TERN_STATUS_OK || read_logs_apart(body + mark, length - mark)) return;
  status = TERN_STATUS_MALFORMED;
}

/// Reads the logs of a damaged body one by one: a damaged log must not cost the others.
///
/// Returns true if there is a list of logs that isn't empty.
bool tern_reader::read_logs_apart(const uint8_t *body, size_t length) {
  records.clear();
  properties.clear();
  blocks.clear();
  arena.begin(length);
  tern::LogSplitter splitter(body, length, protocol.list);
  tern::LogPiece piece = {};
  bool was_read = true;
  while (splitter.next(piece)) {
    // In a list that isn't closed, an unreadable log includes the bracket.
    if (piece.length == 0 && !was_read) break;
    was_read = piece.is_closed && read_log(body + piece.start, piece.length, piece.index);
    if (was_read) continue;
    if (status != TERN_STATUS_OK) return true;
    if (records.size() + faults.size() >= maximum_records) {
      status = TERN_STATUS_TOO_MANY;
      return true;
    }
    faults.push_back(piece.index);
  }
  return splitter.has_pieces();
}

/// Reads one log separately; a failure leaves the arrays unchanged.
bool tern_reader::read_log(const uint8_t *log, size_t size, uint32_t index) {
  size_t records_before = records.size(), properties_before = properties.size(), blocks_before_log = blocks.size();
  Walker walker(log, size, arena);
  if (record(walker, index) && walker.at_end()) return true;
  records.resize(records_before);
  properties.resize(properties_before);
  blocks.resize(blocks_before_log);
  return false;
}

bool tern_reader::logs(Walker &walker, int64_t &index) {
  bool is_first = true, has_list = false;
  // All lists count, because clients delete all of their events on success.
  uint32_t position = 0;
  if (walker.at_end()) return walker.fail("the body is empty");
  if (!walker.enter('{')) return false;
  while (walker.next('}', is_first)) {
    tern_text name = {};
    bool has_escape = false;
    if (!walker.key(name, has_escape)) return false;
    if (!tern::spells(name.start, name.length, protocol.list)) {
      if (!walker.skip()) return false;
      continue;
    }
    has_list = true;
    bool is_first_log = true;
    if (!walker.enter('[')) return false;
    for (; walker.next(']', is_first_log); position += 1) {
      index = position;
      if (!record(walker, position)) return false;
    }
    if (walker.problem()) return false;
    index = -1;
  }
  if (walker.problem()) return false;
  if (!walker.at_end()) return walker.fail("text after the end of the body's object");
  return has_list || walker.fail("the list of events is missing");
}

bool tern_reader::record(Walker &walker, uint32_t index) {
  tern_record record = {};
  record.index = index;
  for (int32_t &block : record.blocks) block = -1;
  for (tern_value &value : record.values) value.kind = TERN_VALUE_NULL;
  record.first_property = uint32_t(properties.size());
  blocks_before = blocks.size();
  record.is_object = walker.peek() == '{';
  if (!record.is_object) {
    if (!walker.skip(record.raw)) return false;
    if (is(record.raw, "null")) return true;
  } else {
    record.raw.start = walker.pointer();
    bool is_first = true;
    if (!walker.enter('{')) return false;
    while (walker.next('}', is_first)) {
      tern_text name = {};
      if (!walker.name(name)) return false;
      if (!member(walker, name, record)) return false;
    }
    if (walker.problem()) return false;
    record.raw.length = uint32_t(walker.last_end() - record.raw.start);
  }
  // As many contexts as events: each event can have its own.
  size_t others = record.is_context ? records.size() - contexts : contexts;
  if (records.size() - others + faults.size() >= maximum_records) {
    status = TERN_STATUS_TOO_MANY;
    return walker.fail("more events than one request may carry");
  }
  records.push_back(record);
  if (record.is_context) contexts += 1;
  return true;
}

/// Reads the members of a context into the record, as if they were its own. Contexts don't nest.
bool tern_reader::context(Walker &walker, tern_record &record) {
  if (walker.peek() != '{') return walker.skip();
  record.is_context = true;
  bool is_first = true;
  if (!walker.enter('{')) return false;
  while (walker.next('}', is_first)) {
    tern_text name = {};
    if (!walker.name(name)) return false;
    const tern_field *field = record_fields.find(name);
    bool is_shared = field && field->kind <= TERN_FIELD_BLOCK;
    if (!(is_shared ? member(walker, name, record) : walker.skip())) return false;
  }
  return !walker.problem();
}

bool tern_reader::member(Walker &walker, const tern_text &name, tern_record &record) {
  const tern_field *field = record_fields.find(name);
  if (!field) return walker.skip();
  switch (field->kind) {
  case TERN_FIELD_TEXT:
    if (field->slot < TERN_RECORD_TEXTS) return text_member(walker, record.texts[field->slot]);
    break;
  case TERN_FIELD_VALUE:
    if (field->slot < TERN_RECORD_VALUES) return walker.value(record.values[field->slot]);
    break;
  case TERN_FIELD_BLOCK:
    if (field->slot < TERN_RECORD_BLOCKS) return block(walker, record.blocks[field->slot]);
    break;
  case TERN_FIELD_PROPERTIES: return plain_properties(walker, record);
  case TERN_FIELD_TYPED_PROPERTIES: return typed_properties(walker, record);
  case TERN_FIELD_CONTEXT:
    if (!protocol.list.start) return context(walker, record);
    break;
  }
  return walker.skip();
}
