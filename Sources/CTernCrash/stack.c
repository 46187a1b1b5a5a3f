#define _GNU_SOURCE
#include "internal.h"

#ifdef TERN_CRASH_SUPPORTED
struct registers tern_stack_registers(const ucontext_t *context) {
  struct registers registers = {0};
#if defined(__x86_64__)
  static const uint8_t order[] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
  };
  const greg_t *values = context->uc_mcontext.gregs;
  for (size_t index = 0; index < sizeof order; index++) registers.values[index] = (uintptr_t)values[order[index]];
  registers.pc = (uintptr_t)values[REG_RIP];
#else
  for (size_t index = 0; index < 31; index++) registers.values[index] = context->uc_mcontext.regs[index];
  registers.values[STACK_POINTER] = context->uc_mcontext.sp;
  registers.pc = context->uc_mcontext.pc;
#endif
  return registers;
}

void tern_stack_write_registers(const ucontext_t *context) {
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
    tern_output_text("register ");
    tern_output_text(all[index].name);
    tern_output_address((uintptr_t)context->uc_mcontext.gregs[all[index].index]);
    tern_output_text("\n");
  }
#else
  tern_output_text("register pc");
  tern_output_address(context->uc_mcontext.pc);
  tern_output_text("\nregister sp");
  tern_output_address(context->uc_mcontext.sp);
  tern_output_text("\n");
  for (int index = 0; index < 31; index++) {
    tern_output_text("register x");
    tern_output_decimal(index);
    tern_output_address(context->uc_mcontext.regs[index]);
    tern_output_text("\n");
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

/// Finds the caller of code without a function, as after a call through a wild pointer: only the return address exists.
static int leave_missing_function(struct registers *registers) {
#if defined(__x86_64__)
  uintptr_t stack = registers->values[STACK_POINTER];
  if (!tern_memory_word(stack, &registers->pc)) return 0;
  registers->values[STACK_POINTER] = stack + sizeof(uintptr_t);
#else
  registers->pc = registers->values[LINK_REGISTER];
#endif
  return tern_images_find(plain(registers->pc)) != NULL;
}

/// Finds the caller of a function by its frame record, which has the caller's frame pointer and the return address.
static int follow_record(struct registers *registers) {
  uintptr_t words[2];
  uintptr_t record = registers->values[FRAME_POINTER];
  if (record < registers->values[STACK_POINTER] || record % sizeof(uintptr_t) != 0) return 0;
  if (tern_memory_read(record, words, sizeof words) != sizeof words || !tern_images_find(plain(words[1]))) return 0;
  // Swift marks the frames of asynchronous functions in the upper bits.
  registers->values[FRAME_POINTER] = words[0] & 0x0fffffffffffffffu;
  registers->values[STACK_POINTER] = record + sizeof words;
  registers->pc = words[1];
  return 1;
}

size_t tern_stack_walk(struct registers registers, uintptr_t *frames, size_t maximum) {
  size_t count = 0;
  uintptr_t lookup = registers.pc;
  if (maximum > 0) frames[count++] = lookup;
  while (count < maximum) {
    uintptr_t stack = registers.values[STACK_POINTER];
    uintptr_t pc = registers.pc;
    enum unwound unwound = tern_unwind_step(&registers, lookup);
    if (unwound == UNWOUND_END) break;
    if (unwound == UNWOUND_UNKNOWN) {
      int is_missing = count == 1 && !tern_images_find(lookup);
      if (is_missing ? !leave_missing_function(&registers) : !follow_record(&registers)) break;
    }
    registers.pc = plain(registers.pc);
    // Stacks grow down, so a caller's frame is above; only the innermost function may have none.
    uintptr_t above = registers.values[STACK_POINTER];
    if (above < stack || (above == stack && registers.pc == pc)) break;
    if (registers.pc < 4096) break;
    lookup = registers.pc - 1;
    frames[count++] = lookup;
  }
  return count;
}
#endif
