/// The way to the network, as Apple's path monitor describes it.
struct NetworkPath: Hashable, Sendable {
  /// True if there is a usable path.
  var isSatisfied: Bool
  /// The names of the interfaces that offer it, the preferred one first.
  var interfaces: [String]
}

/// Decides which updates of the path make the network available.
///
/// One does when there was no way before, or when another interface is preferred now: from Wi-Fi to mobile as well,
/// since whatever failed on the one may work on the other.
struct NetworkPathChanges: Sendable {
  private var last: NetworkPath?

  /// Handles an update; returns true if it makes the network available. The first one is the initial state.
  mutating func updated(_ path: NetworkPath) -> Bool {
    defer { last = path }
    guard let last, path.isSatisfied else { return false }
    return !last.isSatisfied || last.interfaces.first != path.interfaces.first
  }
}
