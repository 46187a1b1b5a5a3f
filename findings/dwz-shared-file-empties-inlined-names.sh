#!/usr/bin/env bash
# Moves debug information that two programs share into a third file (dwz -m), and asks for a position in an inlined function.
#
# Packages:  Debian 12's dwz 0.15-1 and llvm-15 15.0.6-4+b1; gcc 12.2.0 makes the programs
# Guess:     Tools follow the link to the shared file, which lies where the link says (.gnu_debugaltlink), or they warn.
# Behaviour: llvm-symbolizer exits with 0 without a word. The frames are all there, with file and line, but the inlined function has the
#            name "??", since its name is in the shared file. addr2line (binutils 2.40) gives it the name of its caller.
# Matters:   Debian's packages of debug symbols are made so. Who drops frames without a name drops the line that crashed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
timeout 60 apt-get download -qq dwz=0.15-1 llvm-15=1:15.0.6-4+b1 libllvm15=1:15.0.6-4+b1 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
cat >a.h <<'C'
struct queue { int first, last, count, capacity, elements[8]; struct queue *next, *previous; };
static inline __attribute__((always_inline)) void store_in_queue(struct queue *queue, int value) {
  queue->elements[3] = value;
}
C
for name in one two; do
  cat >"$name.c" <<C
#include "a.h"
struct queue kept;
__attribute__((noinline)) void save_$name(struct queue *queue) {
  store_in_queue(queue, 7);
}
int main(int argc, char **argv) { save_$name(argc > 1 ? &kept : (struct queue *)argv); return 0; }
C
  gcc -gdwarf-4 -O2 -g "$name.c" -o "$name"
done
address=$(objdump -d --no-show-raw-insn one | awk '/<save_one>:/{f=1} f && /movl.*\(%rdi\)/{sub(":","",$1); print "0x"$1; exit}')
root/usr/bin/dwz -m "$folder/shared.debug" one two
ask() {
  LD_LIBRARY_PATH="root/usr/lib/x86_64-linux-gnu:root/usr/lib/llvm-15/lib" timeout 20 root/usr/lib/llvm-15/bin/llvm-symbolizer \
    --obj=one --inlines --basenames "$address" >answer 2>said
  echo "$(tr '\n' ' ' <answer)(status $?, $(wc -c <said) bytes on standard error)"
}
found=$(ask)
other=$(addr2line -i -f -s -e one "$address" | tr '\n' ' ')
echo "llvm-symbolizer: $found"
echo "addr2line:       $other"
[[ "$found" == "?? a.h:3:22 save_one one.c:4:3"*"(status 0, 0 bytes"* ]] || { echo "llvm-symbolizer behaves in another way"; exit 1; }
[[ "$other" == "save_one a.h:3 save_one one.c:4"* ]] || { echo "addr2line behaves in another way"; exit 1; }
