import NIOConcurrencyHelpers

/// Decides which requests may bring their bytes in: a budget over everything read, parsed or waiting for its commit.
struct Admission: Sendable {
  /// The budget, in bytes.
  let maximumBytes: Int
  /// What admitted requests hold of it.
  private(set) var bytes = 0

  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  /// Takes `count` bytes of the budget; `false`, and nothing taken, when they do not fit.
  mutating func admit(_ count: Int) -> Bool {
    // Subtracting instead of adding: a declared length near Int.max must not overflow.
    guard count >= 0, count <= maximumBytes - bytes else { return false }
    bytes += count
    return true
  }

  /// Whether so many bytes would be admitted now; a budget that is smaller counts as enough while none of it is taken.
  func hasRoom(for count: Int) -> Bool { min(count, maximumBytes) <= maximumBytes - bytes }

  mutating func release(_ count: Int) {
    bytes -= count
  }
}

/// The admission of a running collector.
final class AdmissionGate: Sendable {
  private let state: NIOLockedValueBox<Admission>

  init(maximumBytes: Int) {
    state = NIOLockedValueBox(Admission(maximumBytes: maximumBytes))
  }

  /// Bytes that admitted requests hold.
  var bytes: Int { state.withLockedValue { $0.bytes } }

  /// Whether a body of so many bytes would get room now.
  func hasRoom(for count: Int) -> Bool { state.withLockedValue { $0.hasRoom(for: count) } }

  /// Reserves room for a body; `nil` when the collector is behind.
  func reserve(_ count: Int) -> Reservation? {
    state.withLockedValue { $0.admit(count) } ? Reservation(gate: self, bytes: count) : nil
  }

  /// Room held by one request; given back when the last reference to it goes.
  final class Reservation: Sendable {
    private let gate: AdmissionGate
    private let held: NIOLockedValueBox<Int>

    fileprivate init(gate: AdmissionGate, bytes: Int) {
      self.gate = gate
      held = NIOLockedValueBox(bytes)
    }

    deinit {
      let bytes = held.withLockedValue { $0 }
      gate.state.withLockedValue { $0.release(bytes) }
    }

    /// Takes more room when a body turns out larger than it was sent, which compression allows; `false` when the
    /// collector is behind.
    func grow(to count: Int) -> Bool {
      let missing = count - held.withLockedValue { $0 }
      guard missing > 0 else { return true }
      guard gate.state.withLockedValue({ $0.admit(missing) }) else { return false }
      held.withLockedValue { $0 += missing }
      return true
    }

    /// Gives back what a body turned out not to need, which a body of undeclared length does.
    func shrink(to count: Int) {
      let surplus = held.withLockedValue { held in
        let surplus = max(held - count, 0)
        held -= surplus
        return surplus
      }
      gate.state.withLockedValue { $0.release(surplus) }
    }
  }
}
