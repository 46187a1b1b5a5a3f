import Tern
import TernBase
import TernEvents
import TernLog

extension MeasurementClient {
  /// Records a hit; it survives the end of the process once this returns, unless it is dropped or the disk refuses it.
  package func send(_ tracker: HitComposer.Tracker, _ values: [String: HitValue]) {
    if optOut { return }
    let draft = composer.compose(tracker, values)
    for warning in draft.warnings { warnOnce(warning) }
    guard draft.parameters["t"]?.isEmpty == false else {
      log(.warning, "Invalid hit: it has no type (\"&t\"). It is dropped.")
      return engine.countDrop(.invalid)
    }
    let clientID = draft.parameters["cid"] ?? draft.parameters["uid"] ?? ""
    guard Sampling.includes(client: clientID, rate: draft.parameters["sf"]) else {
      log(.verbose, "The client is not in the sample; the hit is dropped.")
      return engine.countDrop(.sampledOut)
    }
    let clock = engine.environment.clock
    guard isWithinAllowance(draft, clock.uptime) else { return engine.countDrop(.rateLimited) }
    let time = { (hit: RecordedHit) in
      (hit.wallTime - hit.draft.waited, (hit.uptime - hit.waited).wholeMilliseconds)
    }
    let appended = engine.append(time: time) { generator in
      let now = clock.wallTime
      return RecordedHit(
        draft: draft, id: UniqueID.timeOrdered(at: now, using: &generator), wallTime: now, uptime: clock.uptime,
        random: generator.next())
    }
    switch appended {
    case .stored(let payload): log(.verbose, "Saved hit: \(String(decoding: payload, as: UTF8.self))")
    case .buffered(let payload): log(.verbose, "Kept hit in memory: \(String(decoding: payload, as: UTF8.self))")
    case .refused(.disabled): break
    case .refused(let reason): log(.error, "Couldn't store the hit (\(reason)); it is dropped and counted.")
    }
  }

  /// Checks the property's rate limit. Transactions and items are exempt: half an order is worse than none.
  private func isWithinAllowance(_ draft: HitComposer.Draft, _ now: Duration) -> Bool {
    let type = draft.parameters["t"]
    guard type != "transaction", type != "item" else { return true }
    let property = draft.parameters["tid"] ?? ""
    let (isAllowed, isFirst) = state.withLock { state in
      var bucket = state.buckets[property] ?? TokenBucket(now: now)
      let wasOverflowing = bucket.isOverflowing
      let isAllowed = bucket.take(at: now)
      state.buckets[property] = bucket
      return (isAllowed, !isAllowed && !wasOverflowing)
    }
    if isFirst {
      log(
        .warning,
        "Too many hits: the limit is a burst of 60, then one every 2 s. Further hits are dropped and counted.")
    }
    return isAllowed
  }
}
