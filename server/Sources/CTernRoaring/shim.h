// CRoaring: exact, mergeable sets of dense install numbers.
#include <roaring/roaring.h>
