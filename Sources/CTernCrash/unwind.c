#define _GNU_SOURCE
#include "internal.h"

#ifdef TERN_CRASH_SUPPORTED
#include <string.h>

// Finds the caller of a function by the call frame information in `.eh_frame` (DWARF 5 §6.4, LSB 10.6), which compilers
// write for all functions on these processors. It covers what they use in practice: rules that need an expression, as in
// the procedure linkage table and in signal frames, are an error.

#define MAXIMUM_SAVED_ROWS 8

/// The instructions of call frame information (DWARF 5 §7.24), and the two of vendors that compilers use.
enum {
  DW_CFA_NOP = 0x00,
  DW_CFA_ADVANCE_LOC1 = 0x02,
  DW_CFA_ADVANCE_LOC2 = 0x03,
  DW_CFA_ADVANCE_LOC4 = 0x04,
  DW_CFA_OFFSET_EXTENDED = 0x05,
  DW_CFA_RESTORE_EXTENDED = 0x06,
  DW_CFA_UNDEFINED = 0x07,
  DW_CFA_SAME_VALUE = 0x08,
  DW_CFA_REGISTER = 0x09,
  DW_CFA_REMEMBER_STATE = 0x0a,
  DW_CFA_RESTORE_STATE = 0x0b,
  DW_CFA_DEF_CFA = 0x0c,
  DW_CFA_DEF_CFA_REGISTER = 0x0d,
  DW_CFA_DEF_CFA_OFFSET = 0x0e,
  DW_CFA_DEF_CFA_EXPRESSION = 0x0f,
  DW_CFA_EXPRESSION = 0x10,
  DW_CFA_OFFSET_EXTENDED_SF = 0x11,
  DW_CFA_DEF_CFA_SF = 0x12,
  DW_CFA_DEF_CFA_OFFSET_SF = 0x13,
  DW_CFA_VAL_EXPRESSION = 0x16,
  DW_CFA_NEGATE_RA_STATE = 0x2d,
  DW_CFA_GNU_ARGS_SIZE = 0x2e,
};

/// The encoding of an address (LSB 10.5).
enum {
  DW_EH_PE_ABSOLUTE = 0x00,
  DW_EH_PE_UDATA4 = 0x03,
  DW_EH_PE_SDATA4 = 0x0b,
  DW_EH_PE_PCREL_SDATA4 = 0x1b,
  DW_EH_PE_DATAREL_SDATA4 = 0x3b,
};

enum rule { RULE_SAME, RULE_SAVED, RULE_REGISTER, RULE_UNDEFINED, RULE_UNKNOWN };

/// The rules that lead from a function's registers to its caller's, at one instruction.
struct row {
  unsigned cfa_register;
  int64_t cfa_offset;
  int is_cfa_known;
  uint8_t rules[REGISTER_COUNT];
  int32_t values[REGISTER_COUNT];
};

/// The part of a common information entry (CIE) that its functions share.
struct common {
  uint64_t code_factor;
  int64_t data_factor;
  uint64_t return_register;
  int has_augmentation_size;
  uint8_t encoding;
  struct reader instructions;
};

/// Copies a record; its reader begins after the length. Returns 0 if it can't be read.
static int copy_record(uintptr_t address, uint8_t *buffer, size_t size, struct reader *reader) {
  uint32_t length;
  if (tern_memory_read(address, &length, 4) != 4 || length < 4 || length >= 0xfffffff0u) return 0;
  // A longer record is cut, and its later rows can't be read.
  size_t wanted = length + (size_t)4 < size ? length + (size_t)4 : size;
  size_t count = tern_memory_read(address, buffer, wanted);
  *reader = (struct reader){buffer, 4, count, 0};
  return count > 8;
}

static int read_common(uintptr_t address, struct common *common) {
  static uint8_t buffer[512];
  struct reader reader;
  if (!copy_record(address, buffer, sizeof buffer, &reader)) return 0;
  memset(common, 0, sizeof *common);
  if (tern_reader_take(&reader, 4) != 0) return 0;
  uint64_t version = tern_reader_take(&reader, 1);
  if (version != 1 && version != 3) return 0;
  const char *augmentation = (const char *)buffer + reader.position;
  if (!memchr(augmentation, 0, reader.end - reader.position)) return 0;
  tern_reader_skip(&reader, strlen(augmentation) + 1);
  common->code_factor = tern_reader_uleb(&reader);
  common->data_factor = tern_reader_sleb(&reader);
  common->return_register = version == 1 ? tern_reader_take(&reader, 1) : tern_reader_uleb(&reader);
  size_t instructions = reader.position;
  for (; *augmentation; augmentation++) {
    switch (*augmentation) {
    case 'z':
      common->has_augmentation_size = 1;
      instructions = tern_reader_uleb(&reader);
      instructions += reader.position;
      break;
    case 'R': common->encoding = (uint8_t)tern_reader_take(&reader, 1); break;
    case 'L': tern_reader_skip(&reader, 1); break;
    case 'P': {
      uint8_t encoding = (uint8_t)tern_reader_take(&reader, 1) & 0x0f;
      tern_reader_skip(&reader, encoding == DW_EH_PE_SDATA4 || encoding == DW_EH_PE_UDATA4 ? 4 : 8);
      break;
    }
    // A function whose return addresses are signed with the other key.
    case 'B': break;
    default: return 0;
    }
  }
  if (reader.failed || instructions > reader.end || common->return_register >= REGISTER_COUNT) return 0;
  reader.position = instructions;
  common->instructions = reader;
  return 1;
}

/// Finds a function's record (FDE) by the sorted table in `.eh_frame_hdr`; returns 0 if there is none.
static uintptr_t find_function(const struct image *image, uintptr_t pc) {
  uintptr_t header = image->unwind_header;
  uint8_t head[12];
  if (!header || tern_memory_read(header, head, sizeof head) != sizeof head) return 0;
  // The encodings that linkers write: 32-bit offsets from the header.
  if (head[0] != 1 || head[1] != DW_EH_PE_PCREL_SDATA4 || head[2] != DW_EH_PE_UDATA4 || head[3] != DW_EH_PE_DATAREL_SDATA4) return 0;
  uint32_t count;
  memcpy(&count, head + 8, sizeof count);
  int64_t wanted = (int64_t)(pc - header);
  uintptr_t table = header + sizeof head;
  uint32_t low = 0, high = count;
  int32_t entry[2] = {0, 0};
  // The last function that begins at or before the address.
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int32_t found[2];
    if (tern_memory_read(table + (uintptr_t)middle * 8, found, 8) != 8) return 0;
    if (found[0] <= wanted) {
      memcpy(entry, found, sizeof entry);
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == 0 ? 0 : header + (uintptr_t)(intptr_t)entry[1];
}

// MARK: Instructions

static void set_rule(struct row *row, uint64_t number, enum rule rule, int64_t value) {
  if (number >= REGISTER_COUNT) return;
  row->rules[number] = (uint8_t)(value == (int32_t)value ? rule : RULE_UNKNOWN);
  row->values[number] = (int32_t)value;
}

static void restore_rule(struct row *row, uint64_t number, const struct row *initial) {
  if (number >= REGISTER_COUNT) return;
  row->rules[number] = initial->rules[number];
  row->values[number] = initial->values[number];
}

static void set_cfa(struct row *row, uint64_t number, int64_t offset) {
  row->is_cfa_known = number < REGISTER_COUNT;
  row->cfa_register = (unsigned)number;
  row->cfa_offset = offset;
}

/// Runs a record's instructions up to an offset in the function; returns 0 if they can't be read.
static int run(
  struct reader *reader, const struct common *common, uint64_t offset, struct row *row, const struct row *initial) {
  static struct row saved[MAXIMUM_SAVED_ROWS];
  size_t saved_count = 0;
  uint64_t location = 0, number;
  while (reader->position < reader->end && !reader->failed) {
    uint8_t code = (uint8_t)tern_reader_take(reader, 1);
    uint64_t low = code & 0x3f;
    uint64_t advance = 0;
    switch (code >> 6) {
    case 1: advance = low; break;
    case 2: set_rule(row, low, RULE_SAVED, (int64_t)tern_reader_uleb(reader) * common->data_factor); break;
    case 3: restore_rule(row, low, initial); break;
    default:
      switch (code) {
      case DW_CFA_NOP: break;
      case DW_CFA_ADVANCE_LOC1: advance = tern_reader_take(reader, 1); break;
      case DW_CFA_ADVANCE_LOC2: advance = tern_reader_take(reader, 2); break;
      case DW_CFA_ADVANCE_LOC4: advance = tern_reader_take(reader, 4); break;
      case DW_CFA_OFFSET_EXTENDED:
        number = tern_reader_uleb(reader);
        set_rule(row, number, RULE_SAVED, (int64_t)tern_reader_uleb(reader) * common->data_factor);
        break;
      case DW_CFA_RESTORE_EXTENDED: restore_rule(row, tern_reader_uleb(reader), initial); break;
      case DW_CFA_UNDEFINED: set_rule(row, tern_reader_uleb(reader), RULE_UNDEFINED, 0); break;
      case DW_CFA_SAME_VALUE: set_rule(row, tern_reader_uleb(reader), RULE_SAME, 0); break;
      case DW_CFA_REGISTER:
        number = tern_reader_uleb(reader);
        set_rule(row, number, RULE_REGISTER, (int64_t)(tern_reader_uleb(reader) & 0xff));
        break;
      case DW_CFA_REMEMBER_STATE:
        if (saved_count == MAXIMUM_SAVED_ROWS) return 0;
        saved[saved_count++] = *row;
        break;
      case DW_CFA_RESTORE_STATE:
        if (saved_count == 0) return 0;
        *row = saved[--saved_count];
        break;
      case DW_CFA_DEF_CFA:
        number = tern_reader_uleb(reader);
        set_cfa(row, number, (int64_t)tern_reader_uleb(reader));
        break;
      case DW_CFA_DEF_CFA_REGISTER: set_cfa(row, tern_reader_uleb(reader), row->cfa_offset); break;
      case DW_CFA_DEF_CFA_OFFSET: row->cfa_offset = (int64_t)tern_reader_uleb(reader); break;
      case DW_CFA_DEF_CFA_EXPRESSION:
        row->is_cfa_known = 0;
        tern_reader_skip(reader, tern_reader_uleb(reader));
        break;
      case DW_CFA_EXPRESSION:
      case DW_CFA_VAL_EXPRESSION:
        set_rule(row, tern_reader_uleb(reader), RULE_UNKNOWN, 0);
        tern_reader_skip(reader, tern_reader_uleb(reader));
        break;
      case DW_CFA_OFFSET_EXTENDED_SF:
        number = tern_reader_uleb(reader);
        set_rule(row, number, RULE_SAVED, tern_reader_sleb(reader) * common->data_factor);
        break;
      case DW_CFA_DEF_CFA_SF:
        number = tern_reader_uleb(reader);
        set_cfa(row, number, tern_reader_sleb(reader) * common->data_factor);
        break;
      case DW_CFA_DEF_CFA_OFFSET_SF: row->cfa_offset = tern_reader_sleb(reader) * common->data_factor; break;
      // A change of the return address's signature, which is removed anyway, and the size of arguments.
      case DW_CFA_NEGATE_RA_STATE: break;
      case DW_CFA_GNU_ARGS_SIZE: tern_reader_uleb(reader); break;
      default: return 0;
      }
    }
    location += advance * common->code_factor;
    if (location > offset) return 1;
  }
  return !reader->failed;
}

/// Returns 1 with the rules for an address, or 0 if there are none.
static int find_row(const struct image *image, uintptr_t pc, struct row *row, uint64_t *return_register) {
  static uint8_t buffer[4096];
  static struct row initial;
  uintptr_t record = find_function(image, pc);
  struct reader reader;
  struct common common;
  if (!record || !copy_record(record, buffer, sizeof buffer, &reader)) return 0;
  uint64_t distance = tern_reader_take(&reader, 4);
  if (distance == 0 || !read_common(record + 4 - distance, &common)) return 0;
  uintptr_t start, size;
  switch (common.encoding) {
  case DW_EH_PE_PCREL_SDATA4: {
    uintptr_t position = record + reader.position;
    start = position + (uintptr_t)(intptr_t)(int32_t)tern_reader_take(&reader, 4);
    size = tern_reader_take(&reader, 4);
    break;
  }
  case DW_EH_PE_ABSOLUTE:
    start = tern_reader_take(&reader, 8);
    size = tern_reader_take(&reader, 8);
    break;
  default: return 0;
  }
  // Functions in assembly may have no record; the one before them is found then.
  if (pc < start || pc - start >= size) return 0;
  if (common.has_augmentation_size) tern_reader_skip(&reader, tern_reader_uleb(&reader));
  memset(&initial, 0, sizeof initial);
  if (!run(&common.instructions, &common, ~(uint64_t)0, &initial, &initial)) return 0;
  *row = initial;
  *return_register = common.return_register;
  return run(&reader, &common, pc - start, row, &initial);
}

enum unwound tern_unwind_step(struct registers *registers, uintptr_t lookup) {
  static struct row row;
  struct registers caller = *registers;
  uint64_t return_register;
  const struct image *image = tern_images_find(lookup);
  if (!image || !find_row(image, lookup, &row, &return_register) || !row.is_cfa_known) return UNWOUND_UNKNOWN;
  uintptr_t cfa = registers->values[row.cfa_register] + (uintptr_t)row.cfa_offset;
  for (size_t number = 0; number < REGISTER_COUNT; number++) {
    switch (row.rules[number]) {
    case RULE_SAVED:
      if (!tern_memory_word(cfa + (uintptr_t)(intptr_t)row.values[number], &caller.values[number])) return UNWOUND_UNKNOWN;
      break;
    case RULE_REGISTER:
      if (row.values[number] >= REGISTER_COUNT) return UNWOUND_UNKNOWN;
      caller.values[number] = registers->values[row.values[number]];
      break;
    default: break;
    }
  }
  // The outermost function says that it has no caller.
  if (row.rules[return_register] == RULE_UNDEFINED) return UNWOUND_END;
  if (row.rules[return_register] == RULE_UNKNOWN) return UNWOUND_UNKNOWN;
  caller.pc = caller.values[return_register];
  caller.values[STACK_POINTER] = cfa;
  *registers = caller;
  return UNWOUND_CALLER;
}
#endif
