#!/usr/bin/env bash
# Asks two versions of llvm-symbolizer for a position in a program whose debug information is compressed in the older way (.zdebug_*).
#
# Packages:  Debian 12's llvm-14 14.0.6-12 and llvm-15 15.0.6-4+b1; gcc 12.2.0 and objcopy 2.40 make the program
# Guess:     The newer version reads what the older one reads; if it doesn't know the format any more, it ends with an error that says so.
# Behaviour: LLVM 14 says the inlined function, its caller, and their lines. LLVM 15 still takes the sections by these names, but not as
#            compressed: it reads their bytes as debug information, warns of a unit of 0x42494c5e bytes ("ZLIB" plus 4) that extends past
#            its section, answers from the symbol table (the caller alone, no line), and exits with 0.
# Matters:   After an update of LLVM, crashes of the same uploaded file lose lines and inlined functions, and no word says "compressed".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
timeout 60 apt-get download -qq llvm-14=1:14.0.6-12 libllvm14=1:14.0.6-12 llvm-15=1:15.0.6-4+b1 libllvm15=1:15.0.6-4+b1 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
cat >a.c <<'C'
int sink;

static inline __attribute__((always_inline)) void store(int *p) {
  *p = 7;
}

__attribute__((noinline)) void save(int *p) {
  store(p);
}

int main(int argc, char **argv) { save(argc > 1 ? &sink : &argc); return (int)(long)argv; }
C
gcc -O2 -g a.c -o plain
objcopy --compress-debug-sections=zlib-gnu plain a
readelf -SW a | grep -q ' \.zdebug_info' || { echo "objcopy makes no .zdebug sections any more"; exit 1; }
address=$(objdump -d --no-show-raw-insn a | awk '/<save>:/{f=1} f && /movl.*\(%rdi\)/{sub(":","",$1); print "0x"$1; exit}')
ask() {
  LD_LIBRARY_PATH="root/usr/lib/x86_64-linux-gnu:root/usr/lib/llvm-$1/lib" timeout 20 "root/usr/lib/llvm-$1/bin/llvm-symbolizer" \
    --obj=a --inlines --basenames "$address" >answer 2>said
  echo "$(tr '\n' ' ' <answer)(status $?, $(wc -c <said) bytes on standard error)"
}
older=$(ask 14)
newer=$(ask 15) # leaves what it says in the file `said`
echo "LLVM 14: $older"
echo "LLVM 15: $newer"
[[ "$older" == "store a.c:4:6 save a.c:8:3"*"(status 0, 0 bytes"* ]] || { echo "LLVM 14 behaves in another way"; exit 1; }
grep -m 1 0x42494c5e said
[[ "$newer" == "save ??:0:0"*"(status 0, "* ]] || { echo "LLVM 15 behaves in another way"; exit 1; }
