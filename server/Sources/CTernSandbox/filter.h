#pragma once

/// Allows only the system calls that a symbolizer needs, and `execve` only of `program`. Returns 0 or an error code.
int tern_filter_install(const char *program);
