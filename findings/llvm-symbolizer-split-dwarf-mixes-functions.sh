#!/usr/bin/env bash
# Asks llvm-symbolizer for a position inside an inlined function of a program with split debug information, whose .dwo is not there.
#
# Packages:  Debian 12's llvm-14 14.0.6-12 and llvm-15 15.0.6-4+b1; the program is made by gcc 12.2.0 (-O2 -g -gsplit-dwarf)
# Guess:     Without the .dwo it knows neither the inlined function nor its line: it says the function of the symbol table and no line,
#            or warns, or ends with an error.
# Behaviour: It exits with 0 and says nothing on standard error. The frame has the function of the symbol table, which is the outer one,
#            with the line of the inlined one, since the table of lines stays in the program: a line that is not in that function.
# Matters:   A crash's list of calls names a function that has no such line, and a group is made of the wrong function.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
timeout 60 apt-get download -qq llvm-14=1:14.0.6-12 libllvm14=1:14.0.6-12 llvm-15=1:15.0.6-4+b1 libllvm15=1:15.0.6-4+b1 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
cat >a.c <<'C'
int sink;

static inline __attribute__((always_inline)) void deepest(int *p) {
  sink = 1;
  *p = 7;
}

__attribute__((noinline)) void outer(int *p) {
  deepest(p);
}

int main(int argc, char **argv) { outer(argc > 1 ? &sink : &argc); return (int)(long)argv; }
C
gcc -O2 -g -gsplit-dwarf -c a.c -o a.o
gcc a.o -o a
address=$(objdump -d --no-show-raw-insn a | awk '/<outer>:/{f=1} f && /movl.*\(%rdi\)/{sub(":","",$1); print "0x"$1; exit}')
ask() {
  LD_LIBRARY_PATH="root/usr/lib/x86_64-linux-gnu:root/usr/lib/llvm-$1/lib" timeout 20 "root/usr/lib/llvm-$1/bin/llvm-symbolizer" \
    --obj=a --inlines --basenames "$address" 2>"said-$1" | head -2 | tr '\n' ' '
  echo "(status ${PIPESTATUS[0]}, $(wc -c <"said-$1") bytes on standard error)"
}
mv a.dwo away 2>/dev/null || mv a-a.dwo away
for version in 14 15; do
  found=$(ask "$version")
  echo "LLVM $version, without the .dwo: $found"
  [[ "$found" == "outer a.c:5:"*"(status 0, 0 bytes on standard error)" ]] || { echo "the behaviour has changed"; exit 1; }
done
mv away a.dwo
echo "LLVM 15, with it: $(ask 15)"
