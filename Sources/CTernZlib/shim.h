// zlib is part of every system Tern runs on; this only makes it importable.
#include <zlib.h>
