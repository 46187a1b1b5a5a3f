#include "Reader.hpp"

using tern::is;
using tern::Walker;

/// Adds a property. If a name is repeated, a typed property wins over a plain one, otherwise the last one wins.
void tern_reader::add(const tern_property &property, tern_record &record) {
  if (property.value.kind == TERN_VALUE_NULL) return;
  for (size_t index = record.first_property; index < properties.size(); index += 1) {
    tern_property &known = properties[index];
    if (known.name.length != property.name.length
        || std::memcmp(known.name.start, property.name.start, known.name.length) != 0) continue;
    if (property.is_typed || !known.is_typed) known = property;
    return;
  }
  if (record.property_count >= maximum_properties) return;
  properties.push_back(property);
  record.property_count += 1;
}

bool tern_reader::plain_properties(Walker &walker, tern_record &record) {
  if (walker.peek() != '{') return walker.skip();
  bool is_first = true;
  if (!walker.enter('{')) return false;
  while (walker.next('}', is_first)) {
    tern_property property = {};
    if (!walker.name(property.name)) return false;
    if (walker.peek() == '{' && walker.date(protocol.date, property.value.integer)) property.value.kind = TERN_VALUE_DATE;
    else if (!walker.value(property.value)) return false;
    add(property, record);
  }
  return !walker.problem();
}

bool tern_reader::typed_properties(Walker &walker, tern_record &record) {
  if (walker.peek() != '[') return walker.skip();
  bool is_first = true;
  if (!walker.enter('[')) return false;
  while (walker.next(']', is_first)) {
    if (walker.peek() != '{') {
      if (!walker.skip()) return false;
      continue;
    }
    tern_property property = {};
    property.value.kind = TERN_VALUE_NULL;
    property.is_typed = true;
    if (!typed_property(walker, property)) return false;
    if (property.name.start) add(property, record);
  }
  return !walker.problem();
}

bool tern_reader::typed_property(Walker &walker, tern_property &property) {
  bool is_first = true;
  if (!walker.enter('{')) return false;
  while (walker.next('}', is_first)) {
    tern_text name = {};
    if (!walker.name(name)) return false;
    bool is_text = walker.peek() == '"';
    if (is(name, protocol.property_value)) {
      if (!walker.value(property.value)) return false;
    } else if (is_text && is(name, protocol.property_name)) {
      if (!walker.text(property.name)) return false;
    } else if (is_text && is(name, protocol.property_type)) {
      if (!walker.text(property.type)) return false;
    } else if (!walker.skip()) {
      return false;
    }
  }
  return !walker.problem();
}
