package import JSON

extension CustomDefinition {
  package static func members(_ kind: Kind) -> [JSONMember<CustomDefinition>] {
    [
      .shown("index", .count) { .integer($0.index) },
      .shown("parameter", .text) { .text($0.parameter) },
      .shown("name", .text) { .text($0.name) },
      kind == .metric
        ? .shown("type", .choice(MetricType.self)) { .text($0.type.rawValue) }
        : .shown("scope", .choice(Scope.self)) { .text($0.scope.rawValue) },
      .shown("active", .boolean) { .boolean($0.isActive) },
      .shown("since", .nullable(.time)) { .time($0.rules.last?.start) },
    ]
  }
}

/// The settings of a dimension or metric. A setting that a request lacks has its usual value.
package struct NewDefinition: Sendable {
  package var name = ""
  package var scope = CustomDefinition.Scope.hit
  package var type = CustomDefinition.MetricType.integer
  package var isActive = true

  package init() {}

  package static func members(_ kind: CustomDefinition.Kind) -> [JSONMember<NewDefinition>] {
    [
      .required("name", \.name, .name).example(.text(kind == .metric ? "Time to play" : "Plan")),
      kind == .metric ? .optional("type", \.type, .choice) : .optional("scope", \.scope, .choice),
      .optional("active", \.isActive, .boolean).described("False to stop processing values."),
    ]
  }
}
