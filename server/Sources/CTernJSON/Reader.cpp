#include "Reader.hpp"

#include "Diagnosis.hpp"
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

/// Runs simdjson's first stage: UTF-8, quotes, control characters, and where each token starts.
///
/// Only this stage is used, through the interface that both of simdjson's own front ends stand on: On-Demand is
/// compiled for the oldest instruction set here and does not check what it skips; the DOM copies every text and forgets
/// where it stood, and equal device blocks are recognised by their bytes.
bool tern_reader::scan(const uint8_t *bytes, size_t length) {
  if (length == 0) return false;
  constexpr size_t usual = 128 << 10;
  if (!scanner || scanner->capacity() < length) {
    size_t capacity = length <= usual ? usual : (length + 0xFFFF) & ~size_t(0xFFFF);
    scanner.reset();
    if (simdjson::get_active_implementation()->create_dom_parser_implementation(
          capacity, Walker::maximum_depth, scanner)) {
      scanner.reset();
      status = TERN_STATUS_NO_MEMORY;
      return false;
    }
  }
  return scanner->stage1(bytes, length, simdjson::stage1_mode::regular) == simdjson::SUCCESS;
}

tern_result tern_reader::read(
  const uint8_t *body, size_t length, tern_shape new_shape, uint32_t new_maximum_records,
  uint32_t new_maximum_properties) {
  tern_result result = {};
  result.message = "";
  result.index = -1;
  shape = new_shape;
  maximum_records = new_maximum_records;
  maximum_properties = new_maximum_properties;
  status = TERN_STATUS_OK;
  records.clear();
  properties.clear();
  devices.clear();
  faults.clear();
  arena.begin(length);
  if (length >= UINT32_MAX) {
    result.message = "the body is too long";
    result.status = TERN_STATUS_TOO_MANY;
    return result;
  }
  if (shape == TERN_SHAPE_LINES) read_lines(body, length, result);
  else read_logs(body, length, result);
  result.status = status;
  result.records = records.data();
  result.record_count = records.size();
  result.properties = properties.data();
  result.property_count = properties.size();
  result.devices = devices.data();
  result.device_count = devices.size();
  result.faults = faults.data();
  result.fault_count = faults.size();
  return result;
}

void tern_reader::trim() {
  constexpr size_t limit = 1 << 20;
  if (scanner && scanner->capacity() > limit) scanner.reset();
  arena.trim(limit);
  if (properties.capacity() * sizeof(tern_property) > limit) properties = {};
  if (records.capacity() * sizeof(tern_record) > limit) records = {};
  if (devices.capacity() * sizeof(tern_device) > limit) devices = {};
}

/// Reads one line. When that fails, says why in `result`, with the position in the line.
bool tern_reader::read_line(const uint8_t *line, size_t size, uint32_t index, tern_result &result) {
  if (!scan(line, size)) {
    // Looking byte by byte is slow: only where somebody will see what it finds.
    tern::Diagnosis diagnosis = faults.empty() ? tern::diagnose(line, size) : tern::Diagnosis{"", 0};
    result.message = diagnosis.message;
    result.position = diagnosis.position;
    return false;
  }
  Walker walker(line, size, scanner->structural_indexes.get(), scanner->n_structural_indexes, arena);
  bool is_good = walker.peek() == '{' ? record(walker, index) : walker.fail("an object was expected");
  if (is_good && !walker.at_end()) is_good = walker.fail("a second value on one line");
  if (is_good) return true;
  result.message = walker.problem() ? walker.problem() : "";
  result.position = walker.offset();
  return false;
}

void tern_reader::read_lines(const uint8_t *body, size_t length, tern_result &result) {
  // Whoever gets the list drops what is on it and sends the rest: a longer one helps nobody.
  constexpr size_t most_faults = 2000;
  const uint8_t *end = body + length, *line = body;
  tern_result ignored = {};
  for (uint32_t index = 0; line < end; index += 1) {
    auto feed = static_cast<const uint8_t *>(std::memchr(line, '\n', size_t(end - line)));
    const uint8_t *line_end = feed ? feed : end;
    bool is_first = faults.empty();
    if (!is_blank(line, line_end)
        && !read_line(line, size_t(line_end - line), index, is_first ? result : ignored)) {
      if (is_first) {
        result.position += size_t(line - body);
        result.index = index;
      }
      if (status != TERN_STATUS_OK) break;
      faults.push_back(index);
      if (faults.size() == most_faults) break;
    }
    line = line_end + 1;
  }
  // What comes after the first fault, too many lines for example, is not what the request is refused for.
  if (!faults.empty()) status = TERN_STATUS_MALFORMED;
}

void tern_reader::read_logs(const uint8_t *body, size_t length, tern_result &result) {
  // Some clients' text encoders put a byte order mark first.
  size_t mark = length >= 3 && std::memcmp(body, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  bool is_scanned = scan(body + mark, length - mark);
  if (is_scanned) {
    Walker walker(
      body + mark, length - mark, scanner->structural_indexes.get(), scanner->n_structural_indexes, arena);
    int64_t index = -1;
    if (logs(walker, index)) return;
    result.message = walker.problem() ? walker.problem() : "";
    result.position = mark + walker.offset();
    result.index = index;
  }
  if (status != TERN_STATUS_OK || read_logs_apart(body + mark, length - mark)) return;
  status = TERN_STATUS_MALFORMED;
  if (is_scanned) return;
  tern::Diagnosis diagnosis = tern::diagnose(body + mark, length - mark);
  result.message = diagnosis.message;
  result.position = mark + diagnosis.position;
}

/// Reads a body that is no JSON as a whole log by log: one that is damaged must not cost the others.
///
/// Returns whether there is a list of logs with anything in it.
bool tern_reader::read_logs_apart(const uint8_t *body, size_t length) {
  records.clear();
  properties.clear();
  devices.clear();
  arena.begin(length);
  tern::LogSplitter splitter(body, length);
  tern::LogPiece piece = {};
  bool was_read = true;
  while (splitter.next(piece)) {
    // Where a list is not closed, a log that cannot be read has swallowed the bracket.
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

/// Reads one log by itself; leaves nothing of it when that fails.
bool tern_reader::read_log(const uint8_t *log, size_t size, uint32_t index) {
  size_t records_before = records.size(), properties_before = properties.size(), devices_before_log = devices.size();
  if (scan(log, size)) {
    Walker walker(log, size, scanner->structural_indexes.get(), scanner->n_structural_indexes, arena);
    if (record(walker, index) && walker.at_end()) return true;
  }
  records.resize(records_before);
  properties.resize(properties_before);
  devices.resize(devices_before_log);
  return false;
}

bool tern_reader::logs(Walker &walker, int64_t &index) {
  bool is_first = true, has_logs = false;
  // Of several members all count: whichever were left out, its events would be lost with a success.
  uint32_t position = 0;
  if (!walker.enter('{')) return false;
  while (walker.next('}', is_first)) {
    tern_text name = {};
    bool has_escape = false;
    if (!walker.key(name, has_escape)) return false;
    if (!tern::spells(name.start, name.length, "logs")) {
      if (!walker.skip()) return false;
      continue;
    }
    has_logs = true;
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
  return has_logs || walker.fail("the member 'logs' is missing");
}

bool tern_reader::record(Walker &walker, uint32_t index) {
  tern_record record = {};
  record.index = index;
  record.device = record.app = -1;
  record.uptime = -1;
  record.time.kind = TERN_VALUE_NULL;
  record.first_property = uint32_t(properties.size());
  devices_before = devices.size();
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
  if (records.size() + faults.size() >= maximum_records) {
    status = TERN_STATUS_TOO_MANY;
    return walker.fail("more events than one request may carry");
  }
  records.push_back(record);
  return true;
}

bool tern_reader::member(Walker &walker, const tern_text &name, tern_record &record) {
  bool is_native = shape == TERN_SHAPE_LINES;
  switch (name.length) {
  case 2:
    if (is(name, "id")) return text_member(walker, record.id);
    break;
  case 3:
    if (is_native && is(name, "app")) return device(walker, record.app);
    if (!is_native && is(name, "sid")) return text_member(walker, record.session);
    break;
  case 4:
    if (is(name, "type")) return text_member(walker, record.type);
    if (is(name, "name")) return text_member(walker, record.name);
    if (is_native && is(name, "time")) return walker.value(record.time);
    if (is_native && is(name, "user")) return text_member(walker, record.user);
    if (is_native && is(name, "boot")) return text_member(walker, record.boot);
    break;
  case 6:
    if (is(name, "device")) return device(walker, record.device);
    if (!is_native && is(name, "userId")) return text_member(walker, record.user);
    if (is_native && is(name, "uptime")) {
      tern_value uptime = {};
      if (!walker.value(uptime)) return false;
      record.uptime = uptime.kind == TERN_VALUE_INTEGER ? uptime.integer : -1;
      return true;
    }
    break;
  case 7:
    if (is_native && is(name, "install")) return text_member(walker, record.install);
    if (is_native && is(name, "session")) return text_member(walker, record.session);
    break;
  case 9:
    if (!is_native && is(name, "timestamp")) return walker.value(record.time);
    break;
  case 10:
    if (is(name, "properties")) return plain_properties(walker, record);
    break;
  case 15:
    if (!is_native && is(name, "typedProperties")) return typed_properties(walker, record);
    break;
  }
  return walker.skip();
}
