/// The visibility of an app, derived from several notifications.
struct Presence: Sendable {
  enum Change: Hashable { case left, came }

  var isHidden = false
  var isAsleep = false

  private var isPresent: Bool { !isHidden && !isAsleep }

  /// Applies a notification; returns the change, if any.
  mutating func update(_ body: (inout Presence) -> Void) -> Change? {
    let wasPresent = isPresent
    body(&self)
    return wasPresent == isPresent ? nil : isPresent ? .came : .left
  }
}
