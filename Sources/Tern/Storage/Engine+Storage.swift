import Foundation
import TernEvents
import TernLog

/// A limit of the queue that is to hold unless the queue is larger already.
struct QueueLimit: Sendable {
  var bytes: Int
  var answer: @Sendable (Bool) -> Void
}

extension Engine {
  private static let help = "Give a queueDirectory that this process may create and write."

  /// Whether events are kept in memory, since the disk refuses them.
  var isBuffering: Bool { recorder.withLock { $0.outage != nil } }

  /// Which of these events are kept in memory.
  func held(of ids: Set<UniqueID>) -> Set<UniqueID> {
    recorder.withLock { recorder in
      var found: Set<UniqueID> = []
      recorder.outage?.buffer.forEach { if ids.contains($0.event.id) { found.insert($0.event.id) } }
      return found
    }
  }

  /// Opens what is on the disk, and writes what is held in memory; says whether that is done.
  ///
  /// The first call is the launch's. Each further one begins where the one before was refused.
  @discardableResult
  func openStorage() -> Bool {
    var answers: [() -> Void] = []
    let error = files.withLock { files -> TernError? in
      if recorder.withLock({ $0.outage?.isUnopened ?? false }) {
        if let error = openLog(&files) { return error }
        answers = applyLimits(&files)
      }
      return recorder.withLock { recorder in
        guard recorder.writeBuffered(log) else { return refusal }
        recorder.outage = nil
        return nil
      }
    }
    clientState.take(storage: error)
    for answer in answers { answer() }
    return error == nil
  }

  /// Why events are held that an open log does not take.
  var refusal: TernError {
    TernError(
      code: .unusableDirectory,
      message: "The disk takes no events in \(configuration.queueDirectory.path); it is full, or may not be written.")
  }

  private func openLog(_ files: inout StateFiles) -> TernError? {
    do throws(FileError) {
      // One that was drawn meanwhile stays, if there is none: the app may have been told of it.
      let install = try files.installID(orElse: install)
      recorder.withLock { $0.become(install) }
    } catch {
      return TernError(
        code: .unusableDirectory, message: "The directory \(files.directory) cannot be used. \(Self.help)",
        cause: error)
    }
    let dropped = log.droppedTotal
    do throws(LogError) {
      try log.open()
    } catch {
      return TernError(code: .unusableDirectory, message: "\(error.message) \(Self.help)", cause: error)
    }
    let earlierDrops = log.droppedTotal - dropped
    let (isEnabled, off, erases) = recorder.withLock { recorder in
      recorder.earlierDrops = earlierDrops
      defer {
        recorder.outage?.isUnopened = false
        recorder.outage?.erasesDisk = false
      }
      return (recorder.isEnabled, recorder.off, recorder.outage?.erasesDisk ?? false)
    }
    // The switch is written before the log is erased: a process that died in between left events that nobody may send.
    if erases || !isEnabled && log.counts.waiting > 0 { log.erase() }
    for part in off where log.counts.waiting > 0 { log.erase(epoch: part.erasure) }
    let hasBacklog = log.counts.waiting > 0
    clientState.withLock { $0.hadBacklog = hasBacklog }
    return nil
  }

  // MARK: Erasing

  /// Removes everything that waits, on disk and in memory.
  func eraseAll() {
    recorder.withLock { recorder in
      recorder.eraseBuffered(log) { _ in true }
      if recorder.outage?.isUnopened == true { recorder.outage?.erasesDisk = true }
    }
    log.erase()
  }

  /// Removes what waits of an identity or a part (``RecordEpoch``), on disk and in memory.
  func erase(recordEpoch epoch: UInt32) {
    recorder.withLock { recorder in
      recorder.eraseBuffered(log) { held in
        let own = RecordEpoch.of(identity: held.epoch, isError: held.event.kind.part == .errors)
        return RecordEpoch.erasure(of: epoch, concerns: own)
      }
    }
    log.erase(epoch: epoch)
  }

  /// Counts what is held as lost, since nobody is left to write it, and tells whoever asked for a limit that it does not
  /// hold.
  func discardBuffered() {
    let limits = clientState.withLock { state in
      defer { state.limits = [] }
      return state.limits
    }
    for limit in limits { limit.answer(false) }
    recorder.withLock { recorder in
      let gone = recorder.outage?.buffer.removeAll { _ in true } ?? []
      if !gone.isEmpty { log.count(.storageFailed, gone.count) }
    }
  }

  // MARK: Limits

  /// Limits the queue, unless it is larger already; tells whether the limit holds as soon as that is known.
  func limitQueue(_ limit: QueueLimit) {
    let isUnknown = recorder.withLock { recorder in
      guard recorder.outage?.isUnopened == true else { return false }
      clientState.withLock { $0.limits.append(limit) }
      return true
    }
    if isUnknown { return }
    let fits = files.withLock { apply(limit, &$0) }
    limit.answer(fits)
  }

  private func applyLimits(_ files: inout StateFiles) -> [() -> Void] {
    let limits = clientState.withLock { state in
      defer { state.limits = [] }
      return state.limits
    }
    return limits.map { limit -> () -> Void in
      let fits = apply(limit, &files)
      return { limit.answer(fits) }
    }
  }

  private func apply(_ limit: QueueLimit, _ files: inout StateFiles) -> Bool {
    guard log.counts.bytes <= limit.bytes else { return false }
    log.setMaximumBytes(limit.bytes)
    files.unsaved.queueBytes = limit.bytes
    files.save()
    return true
  }
}

extension TernClient {
  /// Why events are kept in memory and not on disk; `nil` while they are on disk.
  ///
  /// The disk is tried again: after a second, then after pauses that double up to ten minutes, when an event is recorded
  /// or the app comes and goes, and with each flush.
  public var storageError: TernError? {
    guard engine.isBuffering else { return nil }
    return engine.clientState.withLock { $0.storageError } ?? engine.refusal
  }

  /// Whether what is recorded now is kept over the end of the process.
  package var hasStorage: Bool { !engine.isBuffering }

  /// Whether all that was switched is written down.
  package var areSettingsSaved: Bool { engine.files.withLock { $0.unsaved == SettingsPatch() } }

  /// Has somebody told when the disk begins to refuse events, and when it takes them again; at once if it refuses now.
  package func onStorage(_ listener: @escaping @Sendable (TernError?) -> Void) {
    let error = engine.clientState.withLock { state in
      state.storageListener = listener
      return state.storageError
    }
    if let error { listener(error) }
  }

  /// Limits the queue as ``setMaximumQueueBytes(_:)`` does, unless it takes more already; tells, once that is known,
  /// whether the limit holds.
  package func limitQueue(to bytes: Int, _ answer: @escaping @Sendable (Bool) -> Void) {
    engine.limitQueue(QueueLimit(bytes: max(bytes, 24 << 10), answer: answer))
  }
}
