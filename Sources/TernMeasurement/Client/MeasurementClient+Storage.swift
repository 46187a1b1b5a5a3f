import Foundation
import Tern
import TernEvents
import TernLog

/// A hit as it was recorded; encoded when it is written, since only then the client's identifier is known for sure.
struct RecordedHit: Sendable {
  var draft: HitComposer.Draft
  var id: UniqueID
  var wallTime: Timestamp
  var uptime: Duration
  var random: UInt64

  /// How long it had waited elsewhere when it was recorded.
  var waited: Duration { min(draft.waited, uptime) }

  func payload(number: Int) -> [UInt8] {
    var parameters = HitComposer.ordered(draft.parameters)
    parameters.append(("_s", String(number)))
    parameters.append(("ht", String((wallTime - draft.waited).millisecondsSince1970)))
    parameters.append(("z", String(random)))
    return HitPayload.encode(parameters)
  }
}

/// What a client does while the disk takes nothing.
struct HitHolding: Sendable {
  var hits = MemoryBuffer<RecordedHit>()
  /// The queue was never opened, so the client's identifier and what is on disk are not known.
  var isUnopened: Bool
  /// All that is on disk is to be erased when it can be reached.
  var erasesDisk = false
  var retry: StorageBackoff
}

extension MeasurementClient {
  /// Opens the queue and writes what is held in memory, if the disk takes it again; false while it does not.
  @discardableResult
  func openStorage(_ state: inout State) -> Bool {
    guard state.holding != nil else { return true }
    let now = environment.clock.uptime
    followOptOut(&state, isUrgent: true)
    guard openQueue(&state), writeHeld(&state) else {
      state.holding?.retry.failed(at: now)
      schedule(storage: state.holding?.retry.due)
      return false
    }
    state.holding = nil
    schedule(storage: nil)
    feed(.appended, &state)
    return true
  }

  private func openQueue(_ state: inout State) -> Bool {
    guard let holding = state.holding, holding.isUnopened else { return true }
    do {
      // One that was drawn meanwhile stays, if there is none.
      let install = try state.files.installID(orElse: state.install)
      become(install, &state)
      try store.log.open()
    } catch {
      return false
    }
    state.holding?.isUnopened = false
    // The switch is written before the queue is erased: a process that died in between left hits that nobody may send.
    if holding.erasesDisk || state.optOut.isOptedOut && store.log.counts.waiting > 0 { store.log.erase() }
    state.hitNumber = store.log.counts.tracked
    return true
  }

  private func become(_ install: UniqueID, _ state: inout State) {
    let (drawn, known) = (state.install.description, install.description)
    guard drawn != known else { return }
    state.install = install
    changeAutomatic { $0["cid"] = known }
    state.holding?.hits.update { hit in
      if hit.draft.parameters["cid"] == drawn { hit.draft.parameters["cid"] = known }
    }
  }

  private func writeHeld(_ state: inout State) -> Bool {
    while let (hit, _) = state.holding?.hits.first {
      guard write(hit, hit.payload(number: state.hitNumber + 1), &state) != .dropped(.storageFailed) else {
        return false
      }
      state.holding?.hits.removeFirst()
    }
    return true
  }

  /// Gives a hit to the queue; what the disk refuses is counted by whoever gives it up.
  func write(_ hit: RecordedHit, _ payload: [UInt8], _ state: inout State) -> AppendOutcome {
    let outcome = store.log.append(
      payload, id: hit.id, time: hit.wallTime - hit.draft.waited, uptime: hit.uptime - hit.waited, epoch: 0,
      lane: .normal, isKept: true)
    if case .stored(let waiting, _, _) = outcome {
      state.hitNumber += 1
      if waiting > HitStore.maximumHits { trimSoon(&state) }
    }
    return outcome
  }

  /// Keeps a hit in memory; false when there is no room for it.
  func hold(_ hit: RecordedHit, bytes: Int, _ state: inout State) -> Bool {
    let now = environment.clock.uptime
    if state.holding == nil {
      let holding = HitHolding(isUnopened: false, retry: StorageBackoff(failedAt: now))
      state.holding = holding
      schedule(storage: holding.retry.due)
    }
    let gone = state.holding?.hits.add(hit, bytes: bytes + Self.heldOverhead, .normal) ?? []
    store.log.count(.storageFailed, gone.count)
    if state.holding?.retry.isDue(.event, at: now) == true { openStorage(&state) }
    return !gone.contains { $0.id == hit.id }
  }

  /// What a hit takes in memory beside its text, roughly: its parameters are strings of their own.
  private static let heldOverhead = 1_024

  /// Tries the disk again if there is a reason.
  func retryStorage(_ trigger: StorageBackoff.Trigger) {
    let isOpened = state.withLock { state in
      guard state.holding?.retry.isDue(trigger, at: environment.clock.uptime) == true else { return false }
      return openStorage(&state)
    }
    if isOpened { log(.info, "The storage can be used; the hits that were kept in memory are in it.") }
  }

  /// Tries for the last time, and counts as lost what then is still in memory.
  func giveUpHeld() {
    state.withLock { state in
      guard state.holding != nil, !openStorage(&state) else { return }
      let gone = state.holding?.hits.removeAll { _ in true } ?? []
      store.log.count(.storageFailed, gone.count)
    }
  }

  /// Removes everything that waits, on disk and in memory.
  func eraseAll(_ state: inout State) {
    let gone = state.holding?.hits.removeAll { _ in true } ?? []
    store.log.count(.erased, gone.count)
    if state.holding?.isUnopened == true { state.holding?.erasesDisk = true }
    store.log.erase()
  }

  func complainOfStorage() {
    log(
      .error,
      "The storage \(configuration.directory.path) cannot be used; let this process create and write that directory. It is "
        + "tried again. Until then hits stay in memory, as many as fit, and are lost when the process ends.")
  }
}
