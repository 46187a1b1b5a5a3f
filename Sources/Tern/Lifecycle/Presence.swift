/// Whether somebody can use the app, where more than one thing decides that.
struct Presence: Sendable {
  enum Change: Hashable { case left, came }

  var isHidden = false
  var isAsleep = false

  private var isPresent: Bool { !isHidden && !isAsleep }

  /// Takes in what happened; says what it changed.
  mutating func update(_ body: (inout Presence) -> Void) -> Change? {
    let wasPresent = isPresent
    body(&self)
    return wasPresent == isPresent ? nil : isPresent ? .came : .left
  }
}
