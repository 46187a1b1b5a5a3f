import TernEvents
package import Warehouse

/// The state of a collector at the moment when its metrics are read.
package struct CollectorGauges: Sendable {
  package static let empty = CollectorGauges()

  package var isReady = true
  package var pendingBytes = 0
  package var liveStreams = 0
  /// Reports that run, and that wait for their turn.
  package var reports = (running: 0, waiting: 0)
  /// Questions that run, and that wait for their turn.
  package var questions = (running: 0, waiting: 0)
  package var recentAnswers = 0
  /// `nil` without an access log.
  package var droppedLogLines: Int?
  /// `nil` without TLS.
  package var certificateExpiry: Int?
  package var storage = StorageStatus()
  /// `nil` without a copy on a cluster.
  package var cluster: ClusterStatus?
  /// Refused requests by the kind of owner and the limit.
  package var refused: [(owner: String, kind: UsageLimits.Kind, count: Int)] = []
  /// The number of things that fail in the store.
  package var problems = 0
  /// `nil` without regular backups.
  package var backups: BackupHealth?
  /// The deliveries of alerts and of reports by mail.
  package var deliveries = DeliveryStatus(kinds: [])
  package var process = ProcessStatus()
}

extension CollectorMetrics {
  package func write(_ gauges: CollectorGauges, to text: inout MetricsText) {
    text.single(
      "tern_queue_bytes", "gauge", "Bytes of requests being read, parsed or waiting for their commit.",
      gauges.pendingBytes)
    text.family("tern_over_limit_total", "counter", "Requests refused because an app or an address is over a limit.")
    for (owner, kind, count) in gauges.refused {
      text.sample("tern_over_limit_total", [("owner", owner), ("limit", kind.rawValue)], count)
    }
    text.single("tern_live_streams", "gauge", "Open streams of live events.", gauges.liveStreams)
    for (name, help, load) in [
      ("tern_reports", "Reports and pages by state.", gauges.reports),
      ("tern_questions", "Questions by state.", gauges.questions),
    ] {
      text.family(name, "gauge", help)
      text.sample(name, [("state", "running")], load.running)
      text.sample(name, [("state", "waiting")], load.waiting)
    }
    text.single("tern_recent_answers", "gauge", "Answers kept to be shown again.", gauges.recentAnswers)
    text.single(
      "tern_problems", "gauge", "Work on stored events that fails, or is held after a crash; /readyz says which.",
      gauges.problems)
    if let dropped = gauges.droppedLogLines {
      text.single(
        "tern_access_log_dropped_total", "counter", "Lines of the access log that could not be written.", dropped)
    }
    if let expiry = gauges.certificateExpiry {
      text.single(
        "tern_tls_certificate_expiry_timestamp_seconds", "gauge",
        "The end of the validity of the certificate in use, in seconds since 1970.", expiry)
    }
    if let backups = gauges.backups { write(backups, to: &text) }
    write(gauges.deliveries, to: &text)
  }

  private func write(_ backups: BackupHealth, to text: inout MetricsText) {
    text.single(
      "tern_backup_timestamp_seconds", "gauge",
      "The time of the last complete regular backup, in seconds since 1970; 0 if there is none.",
      backups.latest?.secondsSince1970 ?? 0)
    text.single(
      "tern_backup_interval_seconds", "gauge", "The time from one regular backup to the next.",
      backups.interval.components.seconds)
    text.single(
      "tern_backup_failed", "gauge",
      "1 if the last attempt to make a regular backup failed, or found the backup before no longer whole, else 0.",
      backups.isFailing ? 1 : 0)
  }

  private func write(_ deliveries: DeliveryStatus, to text: inout MetricsText) {
    if let waiting = deliveries.waiting {
      text.family(
        "tern_messages_waiting", "gauge", "Messages of alerts and reports that wait to be delivered, by destination.")
      for kind in deliveries.kinds { text.sample("tern_messages_waiting", [("destination", kind)], waiting[kind] ?? 0) }
    }
    let name = "tern_message_attempts_total"
    text.family(name, "counter", "Attempts to deliver a message, by destination and outcome.")
    for kind in deliveries.kinds {
      for outcome in DeliveryStatus.Outcome.allCases {
        text.sample(
          name, [("destination", kind), ("outcome", outcome.rawValue)], deliveries.attempts(kind, outcome))
      }
    }
  }

  package func write(_ storage: StorageStatus, to text: inout MetricsText) {
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
      "tern_quarantined_rows", "gauge", "Stored events that were set aside because they could not be used.",
      storage.quarantinedRows)
    text.single("tern_damaged_places", "gauge", "Places in files of events that can't be read.", storage.damages)
    write(storage.scrub, to: &text)
    text.single(
      "tern_disk_reserve_bytes", "gauge", "Free bytes below which nothing is collected.", storage.reservedDiskBytes)
  }

  /// Writes what reading and checking all files has found.
  private func write(_ scrub: ScrubStatus, to text: inout MetricsText) {
    text.single("tern_scrub_files_total", "counter", "Files read and checked for damage.", scrub.files)
    text.single("tern_scrub_bytes_total", "counter", "Bytes of files read and checked for damage.", scrub.bytes)
    text.single("tern_scrub_mended_total", "counter", "Damaged files that were made again.", scrub.mended)
    if let position = scrub.position {
      text.single(
        "tern_scrub_timestamp_seconds", "gauge",
        "The time up to which all files that were due have been checked, in seconds since 1970.",
        position.secondsSince1970)
    }
    text.family(
      "tern_scrub_failed", "gauge", "1 if the files of a part can't be listed, so that they are not checked for damage."
    )
    for (part, isFailing) in scrub.failures.sorted(by: { $0.key < $1.key }) {
      text.sample("tern_scrub_failed", [("part", part)], isFailing ? 1 : 0)
    }
    text.family("tern_damaged_files", "gauge", "Damaged files that could not be made again, by kind.")
    for (kind, count) in scrub.damaged.sorted(by: { $0.key < $1.key }) {
      text.sample("tern_damaged_files", [("kind", kind)], count)
    }
  }

  /// Writes the state of the copy on a cluster.
  package func write(_ cluster: ClusterStatus, to text: inout MetricsText) {
    text.single(
      "tern_cluster_backlog_rows", "gauge", "Stored rows that are not on the ClickHouse cluster yet.", cluster.backlog)
    text.single(
      "tern_cluster_retired_rows", "gauge", "Old rows that only the ClickHouse cluster has.", cluster.retiredRows)
    text.single(
      "tern_cluster_older_units", "gauge",
      "Units for which the ClickHouse cluster may have rows that were deleted or replaced here.", cluster.olderUnits)
    text.single(
      "tern_cluster_older_since_timestamp_seconds", "gauge",
      "The time since which the ClickHouse cluster may have such rows; 0 if it has none.",
      Int((cluster.olderSince?.millisecondsSince1970 ?? 0) / 1_000))
    text.family("tern_cluster_rows", "gauge", "Rows that a shard of the ClickHouse cluster has confirmed.")
    for shard in cluster.shards { text.sample("tern_cluster_rows", [("shard", shard.name)], shard.confirmedRows) }
    text.single(
      "tern_cluster_problems", "gauge",
      "Reasons why rows wait for the ClickHouse cluster; the page /cluster says which.",
      cluster.problems.count)
  }

  /// Writes the figures of the process under the names that Prometheus's client libraries use.
  package func write(_ process: ProcessStatus, to text: inout MetricsText) {
    let figures: [(name: String, type: String, help: String, value: String?)] = [
      (
        "process_cpu_seconds_total", "counter", "User and system CPU time in seconds.",
        process.processorTime.map { "\($0 / .seconds(1))" }
      ),
      ("process_resident_memory_bytes", "gauge", "Resident memory in bytes.", process.residentBytes.map { "\($0)" }),
      ("process_open_fds", "gauge", "Open file descriptors.", process.openDescriptors.map { "\($0)" }),
      ("process_max_fds", "gauge", "The limit on open file descriptors.", process.maximumDescriptors.map { "\($0)" }),
      (
        "process_start_time_seconds", "gauge", "The start of the process, in seconds since 1970.",
        process.startTime.map { "\($0)" }
      ),
    ]
    for figure in figures {
      guard let value = figure.value else { continue }
      text.single(figure.name, figure.type, figure.help, value)
    }
  }
}
