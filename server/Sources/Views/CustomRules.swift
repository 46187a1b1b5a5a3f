import TernEvents
package import Warehouse

/// The rules by which the custom parameters of an app's hits are read. Equal rules give equal metrics.
package struct CustomRules: Hashable, Sendable, CustomStringConvertible {
  private let rules: [String: [CustomDefinition.Rule]]

  package init(_ definitions: [CustomDefinition] = []) {
    rules = Dictionary(definitions.map { ($0.parameter, $0.rules) }, uniquingKeysWith: { $1 })
  }

  /// What a value of a parameter in a hit that happened at `time` holds for; `nil` when it is not processed.
  package func scope(_ parameter: String, at time: Int64) -> CustomDefinition.Scope? {
    guard let rule = rules[parameter]?.last(where: { $0.start.millisecondsSince1970 <= time }) else { return .hit }
    return rule.isActive ? rule.scope : nil
  }

  /// All rules, in the same order for equal ones.
  package var description: String { rules.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined() }

  /// Whether a parameter may have another scope than that of a hit.
  package var hasWiderScopes: Bool { rules.values.contains { $0.contains { $0.scope != .hit } } }
}
