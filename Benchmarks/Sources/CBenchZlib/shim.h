// zlib, to compress the request bodies that the load generator sends.
#include <zlib.h>
