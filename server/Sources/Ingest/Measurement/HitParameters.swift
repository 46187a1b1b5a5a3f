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
  /// Returns true if a parameter is stored unless its index is out of range.
  static func mayBeKept(_ name: String) -> Bool {
    switch name {
    // These duplicate other fields, or have no meaning after receipt.
    case "v", "tid", "cid", "z": false
    default: name.utf8.count <= 64 && name.utf8.first != faultMark.utf8.first
    }
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
    let isOverwritten = Self.overwritten(names)
    kept.reserveCapacity(min(names.count, Self.most))
    for (position, name) in names.enumerated() where !isOverwritten[position] {
      guard kept.count < Self.most, HitParameter.mayBeKept(name) else { continue }
      switch MeasurementParameter.named(name) {
      case .known(let parameter): add(name, parameter) { form.text(at: position, limit: $0) }
      case .indexOutOfRange: faults.append((name, .indexOutOfRange))
      case .unknown:
        if let value = form.text(at: position, limit: Self.longestUnknown) { keep(name, value) }
      }
    }
  }

  /// Returns for each name whether it is repeated later: the last value counts.
  private static func overwritten(_ names: [String]) -> [Bool] {
    var isOverwritten = Array(repeating: false, count: names.count)
    // A dictionary, because a hostile hit may have thousands of names.
    var last = [String: Int](minimumCapacity: names.count)
    for (position, name) in names.enumerated() {
      if let earlier = last.updateValue(position, forKey: name) { isOverwritten[earlier] = true }
    }
    return isOverwritten
  }

  /// The stored parameters, followed by records of the problems, which help to find mistakes.
  var keptWithFaults: [HitParameter] {
    faults.isEmpty
      ? kept
      : kept
        + faults.prefix(Self.most - min(kept.count, Self.most)).map { name, fault in
          HitParameter(name: HitParameter.faultMark + name, value: fault.words)
        }
  }

  private mutating func add(_ name: String, _ parameter: MeasurementParameter, _ text: (Int) -> String?) {
    if parameter.kind == .flag { return keep(name, "1") }
    guard var value = text(Self.longest + 1) else { return }
    let limit = parameter.limit ?? Self.longest
    if parameter.kind.isText, value.utf8.count > limit {
      faults.append((name, .cut(limit)))
      value = text(limit) ?? ""
    }
    guard let value = parameter.value(value) else { return faults.append((name, .invalid)) }
    keep(name, value)
  }

  private mutating func keep(_ name: String, _ value: String) { kept.append(HitParameter(name: name, value: value)) }
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
