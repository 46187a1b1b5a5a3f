// The state that a reader keeps between bodies, and the steps of reading one.
#pragma once

#include <vector>

#include "FieldTable.hpp"
#include "Walker.hpp"

struct tern_reader {
public:
  tern_result read(
    const uint8_t *body, size_t length, const tern_protocol &protocol, uint32_t maximum_records,
    uint32_t maximum_properties);
  /// Frees memory after an unusually large body.
  void trim();

private:
  tern::Arena arena;
  std::vector<tern_record> records;
  std::vector<tern_property> properties;
  std::vector<tern_block> blocks;
  std::vector<uint32_t> faults;
  /// The number of records that are contexts.
  size_t contexts = 0;
  uint32_t maximum_records = 0, maximum_properties = 0;
  tern_protocol protocol = {};
  tern::FieldTable record_fields, block_fields;
  /// The number of blocks before the record that is being read.
  size_t blocks_before = 0;
  tern_status status = TERN_STATUS_OK;

  bool read_line(const uint8_t *line, size_t size, uint32_t index, tern_result &result);
  void read_lines(const uint8_t *body, size_t length, tern_result &result);
  void read_logs(const uint8_t *body, size_t length, tern_result &result);
  bool read_logs_apart(const uint8_t *body, size_t length);
  bool read_log(const uint8_t *log, size_t size, uint32_t index);
  bool logs(tern::Walker &walker, int64_t &index);
  bool record(tern::Walker &walker, uint32_t index);
  bool member(tern::Walker &walker, const tern_text &name, tern_record &record);
  bool context(tern::Walker &walker, tern_record &record);
  bool block(tern::Walker &walker, int32_t &index);
  bool block_member(tern::Walker &walker, const tern_text &name, tern_block &block);
  bool plain_properties(tern::Walker &walker, tern_record &record);
  bool typed_properties(tern::Walker &walker, tern_record &record);
  bool typed_property(tern::Walker &walker, tern_property &property);
  void add(const tern_property &property, tern_record &record);
};
