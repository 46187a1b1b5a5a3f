#!/usr/bin/env bash
# Asks the PyPI package `symbolic` (Sentry's library for symbols) what a name in a mapping of R8 stands for.
#
# Package:   symbolic 13.9.0, with CPython 3.11
# Guess:     If several methods of a class have one short name, and the stack has no line to tell them apart, remap_frame returns one of
#            them, none, or something that says that the name is ambiguous (R8's retrace prints alternatives).
# Behaviour: It returns all of them, in the form in which it returns methods that were inlined into each other: open() and reopen() are a
#            stack of two frames, though neither calls the other. Two overloads are one method that calls itself. remap_method has
#            no answer where the names differ.
# Matters:   Whoever prints the frames shows calls that never happened, and groups errors by them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
timeout 60 venv/bin/pip -q install symbolic==13.9.0
cat >mapping.txt <<'END'
com.example.radio.Tuner -> a.b:
    void seek(long) -> c
    void seek(double) -> c
    void open() -> d
    void reopen(int) -> d
    5:5:int com.example.radio.Decoder.decode(byte[]):88:88 -> e
    5:5:void play(int):25 -> e
END
timeout 20 venv/bin/python - >seen <<'END'
from symbolic.proguard import ProguardMapper

mapper = ProguardMapper.open("mapping.txt")
for what, method, line in [("inlined", "e", 5), ("overloads", "c", 0), ("different names", "d", 0)]:
    print(f"{what}: " + ", ".join(f.method for f in mapper.remap_frame("a.b", method, line)))
print("remap_method:", mapper.remap_method("a.b", "c"), mapper.remap_method("a.b", "d"))
END
cat seen
diff seen - <<'END'
inlined: decode, play
overloads: seek, seek
different names: open, reopen
remap_method: ('com.example.radio.Tuner', 'seek') None
END
