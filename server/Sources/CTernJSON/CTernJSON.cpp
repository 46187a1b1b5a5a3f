// The C interface: a pool of readers. No exception leaves C++.
#include "CTernJSON.h"

#include <mutex>

#include "Reader.hpp"

namespace {

/// The number of requests that are usually parsed at once; further readers are created and freed as needed.
constexpr size_t kept_readers = 8;

struct Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<tern_reader>> readers;
};

Pool &pool() {
  // Never destroyed: requests may still be parsed while the process exits.
  static Pool *shared = new Pool();
  return *shared;
}

}  // namespace

tern_reader *tern_reader_borrow(void) try {
  Pool &shared = pool();
  {
    std::lock_guard<std::mutex> lock(shared.mutex);
    if (!shared.readers.empty()) {
      tern_reader *reader = shared.readers.back().release();
      shared.readers.pop_back();
      return reader;
    }
  }
  return new tern_reader();
} catch (...) {
  return nullptr;
}

void tern_reader_return(tern_reader *reader) {
  if (!reader) return;
  reader->trim();
  std::unique_ptr<tern_reader> owned(reader);
  try {
    Pool &shared = pool();
    std::lock_guard<std::mutex> lock(shared.mutex);
    if (shared.readers.size() < kept_readers) shared.readers.push_back(std::move(owned));
  } catch (...) {
    // `owned` frees the reader.
  }
}

tern_result tern_read(
  tern_reader *reader, const uint8_t *body, size_t length, const tern_protocol *protocol,
  uint32_t maximum_records, uint32_t maximum_properties) try {
  return reader->read(body, length, *protocol, maximum_records, maximum_properties);
} catch (...) {
  tern_result result = {};
  result.status = TERN_STATUS_NO_MEMORY;
  result.message = "out of memory";
  result.index = -1;
  return result;
}
