import Warehouse

extension ViewHit {
  /// A parameter with a number behind its name: `cd1`, and not `cd` or `cdx`.
  package struct Slot {
    /// The second letter of the name: of dimensions, groups and metrics.
    package var kind: UInt8
    package var name: String
    package var value: String
  }

  package static let dimension = UInt8(ascii: "d")
  package static let contentGroup = UInt8(ascii: "g")
  package static let metric = UInt8(ascii: "m")

  private static func kind(_ name: String) -> UInt8? {
    var letters = name.utf8.makeIterator()
    guard letters.next() == UInt8(ascii: "c"), let kind = letters.next(),
      kind == dimension || kind == contentGroup || kind == metric, let first = letters.next()
    else { return nil }
    var digit: UInt8? = first
    while let next = digit {
      guard (0x30...0x39).contains(next) else { return nil }
      digit = letters.next()
    }
    return kind
  }

  /// The custom parameters of the hit by name: in order, as values are counted in the order in which they stand.
  package var slots: [Slot] {
    var found: [Slot] = []
    for (name, value) in parameters {
      if let kind = Self.kind(name) { found.append(Slot(kind: kind, name: name, value: value)) }
    }
    if found.count > 1 { found.sort { $0.name < $1.name } }
    return found
  }

  /// The custom dimensions of the hit.
  package var dimensions: [Slot] { slots.filter { $0.kind == Self.dimension } }
}

extension ViewDayBuilder {
  /// Counts a session's custom dimensions and metrics and its content groups, each value for the hits it holds for.
  package mutating func addCustom(_ session: ViewSession, _ slot: UInt32) {
    var seen: Set<[String]> = []
    func count(_ name: String, _ scope: CustomDefinition.Scope, _ value: String, _ seen: inout Set<[String]>) {
      let key = [name, scope.rawValue, value]
      day.add(.dimensions, key, [1, seen.insert(key).inserted ? 1 : 0], user: slot)
    }
    let wider = [(session.values, CustomDefinition.Scope.session), (session.userValues, .user)].map { values, scope in
      (values: values.sorted { $0.key < $1.key }, scope: scope)
    }
    let hasWider = wider.contains { !$0.values.isEmpty }
    for hit in session.hits {
      let customs = hit.slots
      for custom in customs where custom.kind != ViewHit.metric {
        if custom.kind == ViewHit.contentGroup || rules.scope(custom.name, at: hit.time) == .hit {
          count(custom.name, .hit, custom.value, &seen)
        }
      }
      for (values, scope) in wider where hasWider {
        for (name, value) in values where rules.scope(name, at: hit.time) == scope { count(name, scope, value, &seen) }
      }
      for metric in customs where metric.kind == ViewHit.metric && rules.scope(metric.name, at: hit.time) != nil {
        guard let number = ViewHit.millionths(metric.value) else { continue }
        day.add(.metrics, [metric.name], [1, number], user: slot)
      }
    }
  }
}
