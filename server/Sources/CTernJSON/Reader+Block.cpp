#include "Reader.hpp"

using tern::is;
using tern::Walker;

bool tern_reader::block(Walker &walker, int32_t &index) {
  if (walker.peek() != '{') return walker.skip();
  if (index >= 0 && protocol.rejects_second_block) return walker.fail("a second device or app in one object");
  // Nearly all records repeat the block of the previous one, byte for byte.
  size_t newest = blocks.size(), oldest = newest > 4 ? newest - 4 : 0;
  for (size_t candidate = newest; candidate-- > oldest;) {
    const tern_block &known = blocks[candidate];
    if (walker.bytes_left() >= known.raw.length
        && std::memcmp(walker.pointer(), known.raw.start, known.raw.length) == 0) {
      index = int32_t(candidate);
      walker.jump(known.raw.length);
      return true;
    }
  }
  tern_block block = {};
  for (tern_value &value : block.values) value.kind = TERN_VALUE_NULL;
  block.raw.start = walker.pointer();
  bool is_first = true;
  if (!walker.enter('{')) return false;
  while (walker.next('}', is_first)) {
    tern_text name = {};
    if (!walker.name(name)) return false;
    if (!block_member(walker, name, block)) return false;
  }
  if (walker.problem()) return false;
  block.raw.length = uint32_t(walker.last_end() - block.raw.start);
  // A second block replaces the first: otherwise one log could make the list of blocks as long as the body.
  if (index >= 0 && size_t(index) >= blocks_before) {
    blocks[size_t(index)] = block;
    return true;
  }
  index = int32_t(blocks.size());
  blocks.push_back(block);
  return true;
}

bool tern_reader::block_member(Walker &walker, const tern_text &name, tern_block &block) {
  const tern_field *field = block_fields.find(name);
  if (field && field->kind == TERN_FIELD_TEXT && field->slot < TERN_BLOCK_TEXTS) {
    return walker.lenient_text(block.texts[field->slot]);
  }
  if (field && field->kind == TERN_FIELD_VALUE && field->slot < TERN_BLOCK_VALUES) {
    return walker.value(block.values[field->slot]);
  }
  return walker.skip();
}
