import Warehouse

extension CollectorMetrics {
  func write(_ storage: StorageStatus, to text: inout MetricsText) {
    text.single(
      "tern_view_cache_bytes", "gauge", "Approximate memory used by counted days of views, in bytes.",
      storage.viewCacheBytes)
    text.family("tern_disk_used_bytes", "gauge", "Bytes on disk by part of the data directory.")
    for (part, bytes) in storage.diskBytes.sorted(by: { $0.key < $1.key }) {
      text.sample("tern_disk_used_bytes", [("part", part)], bytes)
    }
    if let free = storage.freeDiskBytes {
      text.single("tern_disk_free_bytes", "gauge", "Bytes free on the disk of the data directory.", free)
    }
    text.single(
      "tern_disk_reserve_bytes", "gauge", "Free bytes below which nothing is collected.", storage.reservedDiskBytes)
  }

  /// Writes the figures of the process under the names that Prometheus's client libraries use.
  func write(_ process: ProcessStatus, to text: inout MetricsText) {
    let figures: [(name: String, type: String, help: String, value: String?)] = [
      (
        "process_cpu_seconds_total", "counter", "User and system CPU time in seconds.",
        process.processorTime.map { "\($0 / .seconds(1))" }
      ),
      ("process_resident_memory_bytes", "gauge", "Resident memory in bytes.", process.residentBytes.map { "\($0)" }),
      ("process_open_fds", "gauge", "Open file descriptors.", process.openDescriptors.map { "\($0)" }),
    ]
    for figure in figures {
      guard let value = figure.value else { continue }
      text.single(figure.name, figure.type, figure.help, value)
    }
  }
}
