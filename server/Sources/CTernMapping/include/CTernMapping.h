#pragma once

#include <stdbool.h>
#include <stddef.h>

/// A range of mapped memory whose pages may get lost: the file is cut short, or the disk can't read them any more.
typedef struct tern_mapping tern_mapping;

/// Guards mapped memory: where reading it would end the process by SIGBUS, the page reads as zeros instead, and the range is
/// marked. Readers must look at the mark before using what they read.
///
/// The first call installs a handler of SIGBUS. Signals that concern no guarded range go to the handler before, or have their
/// usual effect.
///
/// - Returns: Null if there is no memory.
tern_mapping *tern_mapping_guard(const void *start, size_t size);

/// Ends the guard. Must precede unmapping.
void tern_mapping_release(tern_mapping *mapping);

/// True if a page of the range was replaced.
bool tern_mapping_has_lost_pages(const tern_mapping *mapping);
