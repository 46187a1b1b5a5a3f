public import TernEvents

/// Which requests were received and are neither stored nor refused yet, by the time that counts as their receipt.
///
/// A day of a view is not sealed while one is under way that was received before its cut, however long storing takes.
public final class ReceiptWatermark: Sendable {
  private struct State {
    var times: [UInt64: Timestamp] = [:]
    var last: UInt64 = 0
  }

  private let state = Locked(State())

  /// Creates a watermark without requests.
  public init() {}

  /// Notes the receipt of a request, from now until ``Receipt/end()``.
  ///
  /// - Parameter now: reads the wall clock; no look at ``oldest`` comes between the reading and the note.
  public func receive(_ now: () -> Timestamp) -> Receipt {
    state.withLock { state in
      let time = now()
      state.last += 1
      state.times[state.last] = time
      return Receipt(time: time, number: state.last, watermark: self)
    }
  }

  /// When the oldest request under way was received; `nil` when there is none.
  public var oldest: Timestamp? {
    state.withLock { $0.times.values.min { $0.millisecondsSince1970 < $1.millisecondsSince1970 } }
  }

  fileprivate func end(_ number: UInt64) { state.withLock { _ = $0.times.removeValue(forKey: number) } }
}

/// A request that was received.
public struct Receipt: Sendable {
  /// When, by the server's clock.
  public let time: Timestamp
  fileprivate let number: UInt64
  fileprivate let watermark: ReceiptWatermark

  /// Says that everything of the request is stored or refused; again has no effect.
  public func end() { watermark.end(number) }
}
