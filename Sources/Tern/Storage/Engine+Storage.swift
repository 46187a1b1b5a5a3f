import Foundation
import TernBase
import TernEvents
import TernLog

/// A limit for the queue that applies unless the queue is already larger.
struct QueueLimit: Sendable {
  var bytes: Int
  var answer: @Sendable (Bool) -> Void
}

extension Engine {
  private static let help = "Use a queueDirectory that this process can create and write to."

  /// True while events are kept in memory because the disk refuses them.
  var isBuffering: Bool { recorder.withLock { $0.outage != nil } }

  /// The subset of the given events that is buffered in memory.
  func held(of ids: Set<UniqueID>) -> Set<UniqueID> {
    recorder.withLock { recorder in
      var found: Set<UniqueID> = []
      recorder.outage?.buffer.forEach { if ids.contains($0.record.id) { found.insert($0.record.id) } }
      return found
    }
  }

  /// Opens the log and writes the buffered events; returns true if both succeed.
  ///
  /// A later call continues where the previous one failed.
  @discardableResult
  func openStorage() -> Bool {
    var answers: [() -> Void] = []
    let error = files.withLock { files -> TernError? in
      if recorder.withLock({ $0.outage?.isUnopened ?? false }) {
        if let error = openLog(&files) { return error }
        answers = applyLimits(&files)
      }
      return recorder.withLock { recorder in
        guard recorder.writeBuffered(log) else { return storageRefusal }
        recorder.outage = nil
        return nil
      }
    }
    clientState.recordStorage(error)
    for answer in answers { answer() }
    return error == nil
  }

  /// The error while an open log refuses events.
  var storageRefusal: TernError {
    TernError(
      code: .unusableDirectory,
      message: "Cannot write events to \(configuration.queueDirectory.path); the disk is full or not writable.")
  }

  private func openLog(_ files: inout StateFiles) -> TernError? {
    do throws(FileError) {
      // If there is none on disk, keep the provisional identifier: the app may already have read it.
      let install = try files.installID(orElse: install)
      recorder.withLock { $0.adoptInstall(install) }
    } catch {
      return TernError(
        code: .unusableDirectory, message: "The directory \(files.directory) is not usable. \(Self.help)",
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
      recorder.storedRecords = log.counts.tracked
      defer {
        recorder.outage?.isUnopened = false
        recorder.outage?.erasesDisk = false
      }
      return (recorder.isEnabled, recorder.off, recorder.outage?.erasesDisk ?? false)
    }
    // The setting is saved before the log is erased: a process that died in between left events that must not be sent.
    if erases || !isEnabled && log.counts.waiting > 0 { log.erase() }
    for part in off where log.counts.waiting > 0 { log.erase(part.erasure) }
    let hasBacklog = log.counts.waiting > 0
    clientState.withLock { $0.hadBacklog = hasBacklog }
    return nil
  }

  // MARK: Erasing

  /// Removes all waiting events, on disk and in memory.
  func eraseAll() {
    recorder.withLock { recorder in
      recorder.eraseBuffered(log) { _ in true }
      if recorder.outage?.isUnopened == true { recorder.outage?.erasesDisk = true }
    }
    log.erase()
  }

  /// Removes the waiting events of an identity or a part, on disk and in memory.
  func erase(_ target: ErasureTarget) {
    recorder.withLock { recorder in
      recorder.eraseBuffered(log) { held in
        target.includes(LogContext(identity: held.epoch, part: held.record.part))
      }
    }
    log.erase(target)
  }

  /// Counts the buffered events as dropped when the client ends, and reports that pending limits were not applied.
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

  package func onStorage(_ listener: @escaping @Sendable (TernError?) -> Void) {
    let error = clientState.withLock { state in
      state.storageListener = listener
      return state.storageError
    }
    if let error { listener(error) }
  }

  /// True if all changed settings are saved.
  package var areSettingsSaved: Bool { !files.withLock { $0.hasUnsaved } }

  /// True while the client records and sends.
  package var isEnabled: Bool { recorder.withLock { $0.isEnabled } }

  // MARK: Limits

  /// Limits the queue unless it is already larger; `limit.answer` reports if it applied, once the log is open.
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
  /// The reason why events are kept in memory; `nil` while they are written to disk.
  ///
  /// Tern retries after a second, then at intervals that double up to ten minutes. Recording an event, entering or
  /// leaving the foreground, and each flush trigger earlier attempts.
  public var storageError: TernError? {
    guard engine.isBuffering else { return nil }
    return engine.clientState.withLock { $0.storageError } ?? engine.storageRefusal
  }

  /// True if recorded events are written to disk, and so survive the end of the process.
  package var hasStorage: Bool { !engine.isBuffering }

  /// True if all changed settings are saved.
  package var areSettingsSaved: Bool { engine.areSettingsSaved }

  /// Registers a listener for storage failures and recoveries; it is called at once if the disk refuses events.
  package func onStorage(_ listener: @escaping @Sendable (TernError?) -> Void) { engine.onStorage(listener) }

  /// Limits the queue as ``setMaximumQueueBytes(_:)`` does, unless it is already larger; `answer` reports if the limit
  /// was applied, once the log is open.
  package func limitQueue(to bytes: Int, _ answer: @escaping @Sendable (Bool) -> Void) {
    engine.limitQueue(QueueLimit(bytes: max(bytes, 24 << 10), answer: answer))
  }
}
