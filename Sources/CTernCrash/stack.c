#define _GNU_SOURCE
#include "internal.h"

#ifdef TERN_CRASH_SUPPORTED
#include <string.h>

/// The bytes of a stack that are searched for a call that left no frame record.
static const uintptr_t search_bytes = 4096;

struct registers stack_registers(const ucontext_t *context) {
#if defined(__x86_64__)
  const greg_t *values = context->uc_mcontext.gregs;
  return (struct registers){
    (uintptr_t)values[REG_RIP], (uintptr_t)values[REG_RSP], (uintptr_t)values[REG_RBP], 0};
#else
  return (struct registers){
    context->uc_mcontext.pc, context->uc_mcontext.sp, context->uc_mcontext.regs[29],
    context->uc_mcontext.regs[30]};
#endif
}

void stack_write_registers(const ucontext_t *context) {
#if defined(__x86_64__)
  static const struct {
    const char *name;
    int index;
  } all[] = {
    {"rip", REG_RIP}, {"rsp", REG_RSP}, {"rbp", REG_RBP}, {"rax", REG_RAX}, {"rbx", REG_RBX}, {"rcx", REG_RCX},
    {"rdx", REG_RDX}, {"rsi", REG_RSI}, {"rdi", REG_RDI}, {"r8", REG_R8},   {"r9", REG_R9},   {"r10", REG_R10},
    {"r11", REG_R11}, {"r12", REG_R12}, {"r13", REG_R13}, {"r14", REG_R14}, {"r15", REG_R15}, {"eflags", REG_EFL},
  };
  for (size_t index = 0; index < sizeof all / sizeof *all; index++) {
    output_text("register ");
    output_text(all[index].name);
    output_address((uintptr_t)context->uc_mcontext.gregs[all[index].index]);
    output_text("\n");
  }
#else
  output_text("register pc");
  output_address(context->uc_mcontext.pc);
  output_text("\nregister sp");
  output_address(context->uc_mcontext.sp);
  output_text("\n");
  for (int index = 0; index < 31; index++) {
    output_text("register x");
    output_decimal(index);
    output_address(context->uc_mcontext.regs[index]);
    output_text("\n");
  }
#endif
}

/// Removes the signature of a signed return address.
static uintptr_t plain(uintptr_t address) {
#if defined(__aarch64__)
  return address & 0x0000ffffffffffffu;
#else
  return address;
#endif
}

/// Returns 1 if a value is the address after a call instruction.
static int is_return_address(uintptr_t value) {
  value = plain(value);
  if (value < 4096 || !images_find(value)) return 0;
#if defined(__x86_64__)
  uint8_t code[7];
  if (memory_read(value - 7, code, 7) != 7) return 0;
  if (code[2] == 0xe8) return 1;
  // `call` through a register or memory, by the length of the instruction.
  static const int starts[] = {5, 4, 3, 1, 0};
  for (size_t index = 0; index < sizeof starts / sizeof *starts; index++) {
    int start = starts[index];
    if (code[start] == 0xff && (code[start + 1] & 0x38) == 0x10) return 1;
  }
  return 0;
#else
  uint32_t code;
  if (memory_read(value - 4, &code, 4) != 4) return 0;
  return (code & 0xfc000000u) == 0x94000000u || (code & 0xfe9ff000u) == 0xd61f0000u;
#endif
}

/// Reads a frame record: the caller's frame pointer and the return address.
static int read_record(uintptr_t address, uintptr_t *next, uintptr_t *caller) {
  uintptr_t words[2];
  if (address == 0 || address % sizeof(uintptr_t) != 0) return 0;
  if (memory_read(address, words, sizeof words) != sizeof words) return 0;
  // Swift marks the frames of asynchronous functions in the upper bits.
  *next = words[0] & 0x0fffffffffffffffu;
  *caller = plain(words[1]);
  return 1;
}

static int is_record(uintptr_t address, uintptr_t lowest) {
  uintptr_t next, caller;
  return address >= lowest && read_record(address, &next, &caller) && images_find(caller);
}

/// Returns 1 for libraries in C, which are usually compiled without frame pointers.
static int may_lack_records(const struct image *image) {
  if (!image || !*image->path) return 0;
  const char *slash = strrchr(image->path, '/');
  const char *name = slash ? slash + 1 : image->path;
  if (!strstr(name, ".so") && name[0] != '[') return 0;
  static const char *swift[] = {"libswift", "libFoundation", "lib_", "libdispatch", "libBlocksRuntime"};
  for (size_t index = 0; index < sizeof swift / sizeof *swift; index++) {
    if (strncmp(name, swift[index], strlen(swift[index])) == 0) return 0;
  }
  return 1;
}

/// Finds the first frame record at or above an address.
static uintptr_t find_record(uintptr_t start) {
  for (uintptr_t slot = start; slot < start + search_bytes; slot += sizeof(uintptr_t)) {
    uintptr_t next, caller;
    if (!read_record(slot, &next, &caller)) return 0;
    if (next > slot && next - slot < (1u << 20) && is_return_address(caller) && is_record(next, slot)) return slot;
  }
  return 0;
}

size_t stack_walk(struct registers registers, uintptr_t *frames, size_t maximum) {
  size_t count = 0;
  const struct image *image = images_find(registers.pc);
  uintptr_t fp = is_record(registers.fp, registers.sp) ? registers.fp : 0;
  uintptr_t known = 0;
  uintptr_t position = registers.sp & ~(uintptr_t)7;
  frames[count++] = registers.pc;

  uintptr_t top;
  if (!image || !may_lack_records(image)) {
    // A call to an address without code, or a function that has not made a frame, left only the return address.
#if defined(__aarch64__)
    int has_top = !image;
    top = registers.lr;
#else
    int has_top = memory_word(position, &top);
#endif
    uintptr_t next, caller = 0;
    if (fp) read_record(fp, &next, &caller);
    if (has_top && is_return_address(top) && plain(top) != caller) frames[count++] = plain(top) - 1;
  } else {
    // The first return address into another image is that of the library's caller; those before are the library's.
#if defined(__aarch64__)
    if (is_return_address(registers.lr)) {
      known = plain(registers.lr);
      frames[count++] = known - 1;
    }
#endif
    if (!known || images_find(known) == image) {
      uintptr_t end = fp ? fp : position + search_bytes;
      for (; position < end && position < registers.sp + search_bytes && count < 12; position += sizeof(uintptr_t)) {
        uintptr_t value;
        if (!memory_word(position, &value)) break;
        if (!is_return_address(value)) continue;
        frames[count++] = plain(value) - 1;
        if (images_find(plain(value)) != image) {
          position += sizeof(uintptr_t);
          break;
        }
      }
    }
  }

  if (!fp) fp = find_record(position);
  while (fp && count < maximum) {
    uintptr_t next, caller;
    if (!read_record(fp, &next, &caller) || !images_find(caller)) break;
    frames[count++] = caller - 1;
    // Stacks grow down, so a caller's frame is above.
    if (next <= fp) break;
    fp = next;
  }
  return count;
}
#endif
