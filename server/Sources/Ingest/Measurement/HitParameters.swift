/// One stored parameter of a hit.
package struct HitParameter: Sendable, Hashable {
  /// The name on the wire, for example `cd1`.
  package var name: String
  /// The value, decoded, normalized to its type and truncated to its limit.
  package var value: String

  /// The prefix of a name that records why a parameter was dropped or truncated, instead of its value. Clients cannot
  /// send such names.
  package static let faultMark = "!"

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

extension HitParameter {
  /// Parameters that duplicate other fields, or have no meaning after receipt.
  private static let unkept: Set<String> = ["v", "tid", "cid", "z"]

  /// Returns true if a parameter is stored unless its index is out of range.
  static func mayBeKept(_ name: String) -> Bool {
    name.utf8.count <= 64 && !unkept.contains(name) && !name.hasPrefix(faultMark)
  }

  /// Returns true if the protocol has a parameter of this name and it is stored with its hit.
  package static func isKnownAndKept(_ name: String) -> Bool {
    if case .known = MeasurementParameter.named(name) { mayBeKept(name) } else { false }
  }
}

/// The parameters of a hit that its event doesn't contain, stored for views (docs/views.md).
package struct IncomingHit: Sendable, Hashable {
  /// The position of its event in ``IncomingBatch/events``.
  package var event: Int
  /// The parameters in the order sent.
  package var parameters: [HitParameter]
  package init(event: Int, parameters: [HitParameter]) {
    self.event = event
    self.parameters = parameters
  }
}

/// The validated parameters of a hit, with the problems found.
struct HitParameters {
  /// A problem with an optional parameter.
  enum Fault: Hashable {
    case invalid
    case cut(Int)
    case indexOutOfRange
  }

  /// The maximum length of an unknown parameter, or of one without a limit of its own.
  private static let longest = 2_048
  private static let longestUnknown = 256
  /// The maximum number of stored parameters per hit; 8,192 bytes have no room for more meaningful ones.
  private static let most = 1_000

  private(set) var kept: [HitParameter] = []
  private(set) var faults: [(parameter: String, fault: Fault)] = []

  init(_ form: FormParameters) {
    let names = form.names
    // If a name is repeated, the last value counts. Resolved once, because a hostile hit may have thousands of names.
    let last = Dictionary(zip(names, names.indices), uniquingKeysWith: { $1 })
    for (position, name) in names.enumerated() where last[name] == position {
      guard kept.count < Self.most, HitParameter.mayBeKept(name) else { continue }
      switch MeasurementParameter.named(name) {
      case .known(let parameter): add(name, parameter) { form.text(at: position, limit: $0) }
      case .indexOutOfRange: faults.append((name, .indexOutOfRange))
      case .unknown:
        if let value = form.text(at: position, limit: Self.longestUnknown) { keep(name, value) }
      }
    }
  }

  /// The stored parameters, followed by records of the problems, which help to find mistakes.
  var keptWithFaults: [HitParameter] {
    kept
      + faults.prefix(Self.most - min(kept.count, Self.most)).map { name, fault in
        HitParameter(name: HitParameter.faultMark + name, value: fault.words)
      }
  }

  private mutating func add(_ name: String, _ parameter: MeasurementParameter, _ text: (Int) -> String?) {
    // Present means enabled, regardless of the value.
    if name == "aip" { return keep(name, "1") }
    guard let whole = text(Self.longest + 1) else { return }
    if name == "uip" { return keep(name, Self.masked(whole)) }
    let limit = parameter.limit ?? Self.longest
    if parameter.kind == .text, whole.utf8.count > limit { faults.append((name, .cut(limit))) }
    let short = parameter.kind == .text ? text(limit) ?? "" : whole
    guard let value = parameter.value(short), !isNegative(name, value) else {
      return faults.append((name, .invalid))
    }
    if name.hasPrefix("cg") { return keep(name, value.split(separator: "/").joined(separator: "/")) }
    keep(name, value)
  }

  private func isNegative(_ name: String, _ value: String) -> Bool {
    (name == "ev" || name == "qt") && value.hasPrefix("-")
  }

  private mutating func keep(_ name: String, _ value: String) {
    kept.append(HitParameter(name: name, value: value.utf8.contains(0) ? value.filter { $0 != "\0" } : value))
  }

  /// Returns an address without the part that identifies one person: the last byte of an IPv4 address, or all but six
  /// bytes of an IPv6 address.
  static func masked(_ address: String) -> String {
    if address.contains(":") {
      let groups = address.split(separator: ":", omittingEmptySubsequences: false).prefix { !$0.isEmpty }.prefix(3)
      return groups.joined(separator: ":") + "::"
    }
    let parts = address.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 ? parts.prefix(3).joined(separator: ".") + ".0" : ""
  }
}

extension HitParameters.Fault {
  /// A description of the outcome.
  var words: String {
    switch self {
    case .invalid: "dropped, wrong type"
    case .cut(let limit): "truncated to \(limit) bytes"
    case .indexOutOfRange: "dropped, no such index"
    }
  }
}
