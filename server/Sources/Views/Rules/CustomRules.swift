import TernEvents
package import Warehouse

/// The rules for reading the custom parameters of an app's hits. Equal rules give equal metrics.
package struct CustomRules: Hashable, Sendable, CustomStringConvertible {
  private let rules: [String: [CustomDefinition.Rule]]

  package init(_ definitions: [CustomDefinition] = []) {
    rules = Dictionary(definitions.map { ($0.parameter, $0.rules) }, uniquingKeysWith: { $1 })
  }

  /// The scope of a parameter's value in a hit that happened at `time`, or `nil` if the parameter was inactive.
  package func scope(_ parameter: String, at time: EventTime) -> CustomDefinition.Scope? {
    guard let rule = rules[parameter]?.last(where: { $0.start.millisecondsSince1970 <= time.milliseconds }) else {
      return .hit
    }
    return rule.isActive ? rule.scope : nil
  }

  /// All rules, in an order that depends only on the rules.
  package var description: String { rules.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined() }

  /// True if any parameter has, or had, a scope wider than the hit.
  package var hasWiderScopes: Bool { rules.values.contains { $0.contains { $0.scope != .hit } } }
}
