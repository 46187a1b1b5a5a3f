/// New names beyond a day's allowance, and the installs that use them.
///
/// Someone with an app's public key can use up the allowance with names of their own. Names that several installs use have a
/// further allowance, so that such a flood hides no new name of the app itself. Two generations bound the memory: a name
/// that a flood displaces is soon used by other installs again.
struct NameCandidates {
  /// The number of installs that must use a name.
  static let installs = 3
  /// The number of names in each generation.
  private static let limit = 2_048

  private var young: [UInt64: Set<UInt32>] = [:]
  private var old: [UInt64: Set<UInt32>] = [:]

  /// Notes that an install uses a name, given by its hash; returns true if enough have.
  mutating func note(_ name: UInt64, by slot: UInt32) -> Bool {
    var users = young[name] ?? old[name] ?? []
    users.insert(slot)
    if young[name] == nil, young.count >= Self.limit {
      old = young
      young = [:]
    }
    young[name] = users
    return users.count >= Self.installs
  }
}
