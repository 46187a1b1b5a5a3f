// zlib's inflate, for gzip and deflate request bodies.
#include <zlib.h>
