import Tern
import TernEvents
import TernLog

extension MeasurementClient {
  /// Records a hit; it survives the end of the process once this returns, unless it is dropped and counted, or the
  /// disk takes nothing at the moment.
  package func send(_ tracker: HitComposer.Tracker, _ values: [String: HitValue]) {
    if optOut { return }
    let draft = composer.compose(tracker, values)
    for warning in draft.warnings { warnOnce(warning) }
    guard draft.parameters["t"]?.isEmpty == false else {
      log(.warning, "Invalid hit: it has no type (\"&t\"), so it is not sent.")
      return store.log.count(.invalid, 1)
    }
    let clientID = draft.parameters["uid"] ?? draft.parameters["cid"] ?? ""
    guard Sampling.includes(client: draft.parameters["cid"] ?? clientID, rate: draft.parameters["sf"]) else {
      log(.verbose, "The hit is not sent: this client is not in the sample.")
      return store.log.count(.sampledOut, 1)
    }
    report(state.withLock { record(draft, &$0) })
  }

  private enum Recorded {
    case stored([UInt8])
    case held([UInt8], isFirst: Bool)
    case optedOut
    case rateLimited(isFirst: Bool)
    case dropped(DropReason)
  }

  private func record(_ draft: HitComposer.Draft, _ state: inout State) -> Recorded {
    // Asked again under the lock: what is recorded after an opt-out would outlive it.
    if state.optOut.isOptedOut { return .optedOut }
    let now = (wall: environment.clock.wallTime, uptime: environment.clock.uptime)
    if let refusal = refusal(draft, now.uptime, &state) { return refusal }
    let hit = RecordedHit(
      draft: draft, id: UniqueID.timeOrdered(at: now.wall, using: &state.generator), wallTime: now.wall,
      uptime: now.uptime, random: state.generator.next())
    let payload = hit.payload(number: state.hitNumber + 1)
    guard payload.count + HitPayload.queueTimeBytes <= HitPayload.maximumBytes else {
      store.log.count(.tooLarge, 1)
      return .dropped(.tooLarge)
    }
    // What is held is older, so it goes first.
    let wasHolding = state.holding != nil
    let outcome = wasHolding ? .dropped(.storageFailed) : write(hit, payload, &state)
    switch outcome {
    case .dropped(.storageFailed):
      guard hold(hit, bytes: payload.count, &state) else { return .dropped(.storageFailed) }
      return state.holding == nil ? .stored(payload) : .held(payload, isFirst: !wasHolding)
    case .dropped(let reason): return .dropped(reason)
    case .stored:
      feed(.appended, &state)
      return .stored(payload)
    }
  }

  /// Transactions and items are never refused: half an order is worse than none.
  private func refusal(_ draft: HitComposer.Draft, _ now: Duration, _ state: inout State) -> Recorded? {
    let type = draft.parameters["t"]
    guard type != "transaction", type != "item" else { return nil }
    var bucket = state.buckets[draft.parameters["tid"] ?? ""] ?? TokenBucket(now: now)
    let wasOverflowing = bucket.isOverflowing
    let isAllowed = bucket.take(at: now)
    state.buckets[draft.parameters["tid"] ?? ""] = bucket
    if isAllowed { return nil }
    store.log.count(.rateLimited, 1)
    return .rateLimited(isFirst: !wasOverflowing)
  }

  private func report(_ recorded: Recorded) {
    switch recorded {
    case .stored(let payload): log(.verbose, "Saved hit: \(String(decoding: payload, as: UTF8.self))")
    case .held(let payload, let isFirst):
      if isFirst { complainOfStorage() }
      log(.verbose, "Kept hit in memory: \(String(decoding: payload, as: UTF8.self))")
    case .optedOut, .rateLimited(isFirst: false): break
    case .rateLimited(isFirst: true):
      log(.warning, "More than 60 hits at once, or than one every 2 s for long: further ones are dropped and counted.")
    case .dropped(let reason): log(.error, "The hit could not be stored (\(reason)); it is dropped and counted.")
    }
  }
}
