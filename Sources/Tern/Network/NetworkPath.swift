/// A network path, as Apple's path monitor describes it.
struct NetworkPath: Hashable, Sendable {
  /// True if the path is usable.
  var isSatisfied: Bool
  /// The names of its interfaces, in order of preference.
  var interfaces: [String]
}

/// Decides which path updates mean that the network has become available.
///
/// These are updates to a usable path from an unusable one or one with another preferred interface. Wi-Fi to cellular
/// counts too: requests that failed on one may succeed on the other.
struct NetworkPathChanges: Sendable {
  private var last: NetworkPath?

  /// Handles an update; returns true if the network has become available. The first update is the initial state.
  mutating func updated(_ path: NetworkPath) -> Bool {
    defer { last = path }
    guard let last, path.isSatisfied else { return false }
    return !last.isSatisfied || last.interfaces.first != path.interfaces.first
  }
}
