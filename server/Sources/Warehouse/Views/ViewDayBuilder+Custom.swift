extension ViewHit {
  /// Whether a name is a prefix with a number behind: `cd1`, and not `cd` or `cdx`.
  fileprivate static func isSlot(_ name: String, _ prefix: String) -> Bool {
    let number = name.utf8.dropFirst(prefix.utf8.count)
    return name.utf8.starts(with: prefix.utf8) && !number.isEmpty && number.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// The custom dimensions of the hit by name: in order, as which keys become "(other)" must not depend on chance.
  var dimensions: [(name: String, value: String)] { slots("cd") }
  fileprivate var contentGroups: [(name: String, value: String)] { slots("cg") }
  fileprivate var metrics: [(name: String, value: String)] { slots("cm") }

  private func slots(_ prefix: String) -> [(name: String, value: String)] {
    var found: [(name: String, value: String)] = []
    for (name, value) in parameters where Self.isSlot(name, prefix) { found.append((name, value)) }
    return found.sorted { $0.name < $1.name }
  }
}

extension ViewDayBuilder {
  /// Counts a session's custom dimensions and metrics and its content groups, each value for the hits it holds for.
  mutating func addCustom(_ session: ViewSession, _ slot: UInt32) {
    var seen: Set<[String]> = []
    func count(_ name: String, _ scope: CustomDefinition.Scope, _ value: String, _ seen: inout Set<[String]>) {
      let key = [name, scope.rawValue, value]
      day.add(.dimensions, key, [1, seen.insert(key).inserted ? 1 : 0], user: slot)
    }
    let wider = [(session.values, CustomDefinition.Scope.session), (session.userValues, .user)].map { values, scope in
      (values: values.sorted { $0.key < $1.key }, scope: scope)
    }
    for hit in session.hits {
      for (name, value) in hit.dimensions where rules.scope(name, at: hit.time) == .hit {
        count(name, .hit, value, &seen)
      }
      for (name, value) in hit.contentGroups { count(name, .hit, value, &seen) }
      for (values, scope) in wider {
        for (name, value) in values where rules.scope(name, at: hit.time) == scope { count(name, scope, value, &seen) }
      }
      for (name, value) in hit.metrics where rules.scope(name, at: hit.time) != nil {
        guard let number = ViewHit.millionths(value) else { continue }
        day.add(.metrics, [name], [1, number], user: slot)
      }
    }
  }
}
