// The functions of LLVM's libFuzzer, which the toolchain has as a library without a header.
#include <stddef.h>
#include <stdint.h>

/// Runs the fuzzer with the arguments of a program; `test` gets each input and returns 0.
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*test)(const uint8_t *bytes, size_t size));

/// Changes an input in place in one of the fuzzer's own ways; returns its new size.
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t capacity);
