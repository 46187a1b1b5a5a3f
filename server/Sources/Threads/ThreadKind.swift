import Foundation

/// One kind of threads of a server: their name, their number and their priority.
///
/// Work that can take long has threads of its own kind, so that it holds up no other work, neither Swift's cooperative threads nor the
/// event loops. All kinds are listed here. Names have at most 15 characters, because Linux cuts longer ones.
package struct ThreadKind: Sendable {
  /// The name of the threads in debuggers and tools.
  package let name: String
  /// The maximum number of threads.
  package let count: Int
  package let priority: ThreadPriority
  let stackBytes: Int

  init(_ name: String, count: Int = 1, priority: ThreadPriority = .low, stackBytes: Int = 4 << 20) {
    (self.name, self.count, self.priority, self.stackBytes) = ("tern-\(name)", max(1, count), priority, stackBytes)
  }

  /// Starts a thread that ends with `body`.
  package func start(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.name = name
    thread.stackSize = stackBytes
    thread.qualityOfService = priority == .low ? .utility : .default
    thread.start()
  }

  /// The number of processors.
  private static let processors = max(ProcessInfo.processInfo.activeProcessorCount, 1)
  /// The number of threads for work on all rows, the calling one included: one per processor, up to eight.
  package static let sharesOfAllRows = min(processors, 8)
}

// MARK: - Collecting

extension ThreadKind {
  /// Reads the bodies of requests of apps. Owned by `Ingestion`.
  package static func decoding(_ count: Int) -> ThreadKind { ThreadKind("decoding", count: count, priority: .normal) }
  /// Stores batches, all that wait in one transaction. Owned by `WriterThread`.
  package static let writer = ThreadKind("writer", priority: .normal)
  /// Counts stored rows. Owned by `CountingThread`.
  package static let counting = ThreadKind("counting", priority: .normal)
  /// Writes and merges runs of the keys that detect duplicates. Owned by `KeyRunBuilder`.
  package static let keys = ThreadKind("keys")
}

// MARK: - Reports and questions

extension ThreadKind {
  /// Reads what reports, pages and jobs ask for: half of the processors, but two to eight. How many reports run at a time is a
  /// limit of the collector (`CollectorLimits`). Owned by `WarehouseReader`.
  package static let reports = ThreadKind("reader", count: max(2, min(8, processors / 2)))
  /// Answers questions, two at a time, so that they never take the place of reports. Owned by `WarehouseReader`.
  package static let questions = ThreadKind("question", count: 2)
  /// A question uses two processors. The number doesn't depend on the machine, so neither does the order in which
  /// floating-point values are added.
  package static let threadsPerQuestion = 2
  /// Shares the chunks of questions. A question doesn't wait for these threads: its own takes the chunks that they have not begun with.
  /// Owned by `WarehouseReader`.
  package static let questionHelpers = ThreadKind("question", count: questions.count * (threadsPerQuestion - 1))
  /// Waits for the cluster, so that nothing else does. Owned by `WarehouseReader`.
  package static let fetching = ThreadKind("fetch", count: 2)
  /// Adds new rows to the columns. Owned by `WarehouseReader`.
  package static let columns = ThreadKind("columns")
  /// Counts portions of a view's day in parallel; apart from the threads of reports, because these wait for them. Owned by `ViewReading`.
  package static let views = ThreadKind("view", count: min(4, processors))
}

// MARK: - Background work

extension ThreadKind {
  /// Makes everything that is derived from rows, with the calling thread. Owned by `WarehouseRebuild`.
  package static let rebuilding = ThreadKind("rebuild", count: sharesOfAllRows - 1, priority: .normal)
  /// Verifies counts, with the calling thread. Owned by `Verifier`.
  package static let verification = ThreadKind("verify", count: sharesOfAllRows - 1, priority: .normal)
  /// Reads rows for the cluster. Owned by `ShippedRows`.
  package static let shipping = ThreadKind("shipping")
  /// Writes backups. Owned by `BackupService`.
  package static let backup = ThreadKind("backup", priority: .normal)
  /// Looks for damaged files. Owned by `Scrub`.
  package static let scrub = ThreadKind("scrub", priority: .normal)
  /// Renews the ownership of the data directory. Owned by `DirectoryOwner`.
  package static let owner = ThreadKind("owner", priority: .normal, stackBytes: 512 << 10)
}

// MARK: - People and other servers

extension ThreadKind {
  /// Checks passwords: a check takes a processor and 32 MiB for a while on purpose. Owned by `PasswordThreads`.
  package static let passwords = ThreadKind("passwords", count: 2, priority: .normal)
  /// Unpacks, hashes, writes and syncs files with symbols. Owned by `SymbolEndpoints`.
  package static let uploads = ThreadKind("uploads", count: 2)
  /// Asks the program that reads symbols. Owned by `Symbolicator`.
  package static let symbols = ThreadKind("symbols")
  /// Sends messages: the threads mostly wait for receivers. Owned by `OutgoingClient`.
  package static let outgoing = ThreadKind("outgoing", count: 8)
}
