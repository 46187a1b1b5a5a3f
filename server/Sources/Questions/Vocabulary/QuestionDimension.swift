package import Ingest
import JSON
import Warehouse

/// A fact of a row that questions filter and group by.
package enum QuestionDimension: Hashable, Sendable {
  case event, screen, kind, version, os, model, country, language, install, user
  case property(ExactText)
  case time(TimeUnit)

  private static let plain: [(String, QuestionDimension)] = [
    ("event", .event), ("screen", .screen), ("kind", .kind), ("version", .version), ("os", .os), ("model", .model),
    ("country", .country), ("language", .language), ("install", .install), ("user", .user),
  ]

  /// Parses the name of a dimension.
  package init?(_ name: String) {
    if name.hasPrefix("property:") {
      self = .property(ExactText(String(name.dropFirst("property:".count))))
    } else if name.hasPrefix("time:") {
      guard let unit = TimeUnit(rawValue: String(name.dropFirst("time:".count))) else { return nil }
      self = .time(unit)
    } else {
      guard let found = Self.plain.first(where: { $0.0.hasBytes(of: name) }) else { return nil }
      self = found.1
    }
  }

  /// The name in questions and answers.
  package var name: String {
    switch self {
    case .property(let name): "property:\(name.text)"
    case .time(let unit): "time:\(unit.rawValue)"
    default: Self.plain.first { $0.1 == self }?.0 ?? ""
    }
  }
}

/// A calendar unit of the app's time zone. Weeks are ISO weeks, from Monday.
package enum TimeUnit: String, CaseIterable, Sendable {
  case hour, day, week, month
  /// An hour with the zone's offset from UTC, which tells two hours that clocks show alike apart.
  case zonedHour = "zoned_hour"
}

/// The kind of a row that questions see.
package enum QuestionKind: String, CaseIterable, Sendable {
  case event, screen, sessionStart = "session_start", handledError = "handled_error", crash
  /// Activity of its person and nothing else: a piece of an error's attachment, or a record of a kind that Tern doesn't
  /// know.
  case other
}

extension QuestionKind {
  /// The kind of a stored row; `nil` for reports about dropped events, which questions don't see.
  package init?(_ kind: StoredKind) {
    switch kind {
    case .event: self = .event
    case .screen: self = .screen
    case .sessionStart: self = .sessionStart
    case .handledError: self = .handledError
    case .crash: self = .crash
    case .attachment, .attachmentPart, .other: self = .other
    case .drops: return nil
    }
  }
}

/// The identity that counts as one person.
package enum PersonKey: String, CaseIterable, Sendable {
  /// The install.
  case install
  /// The user whom the app named; an install's rows without one count as that install.
  case user
}

extension QuestionDimension {
  /// Returns a text as the values of the dimension have it: languages and countries by their canonical codes.
  package func canonical(_ text: String) -> String {
    switch self {
    case .language: CanonicalCode.language(text)
    case .country: CanonicalCode.country(text)
    default: text
    }
  }

  /// Returns true if a value comes before another one: versions in the order of releases, zoned hours in that of time, other values in their own.
  package func isOrdered(_ left: QuestionValue, before right: QuestionValue) -> Bool {
    guard self == .version || self == .time(.zonedHour), let left = left.text, let right = right.text else {
      return left < right
    }
    return self == .version ? AppVersion.isOrdered(left, before: right) : ZonedHour.isOrdered(left, before: right)
  }

  /// Returns true if a value comes before another one; a missing one comes last.
  package func isOrdered(_ left: QuestionValue?, before right: QuestionValue?) -> Bool {
    guard let left else { return false }
    return right.map { isOrdered(left, before: $0) } ?? true
  }

  var isProperty: Bool { if case .property = self { true } else { false } }

  package var timeUnit: TimeUnit? {
    if case .time(let unit) = self { unit } else { nil }
  }

  /// The property of a name.
  package static func property(_ name: String) -> QuestionDimension { .property(ExactText(name)) }
}

extension JSONCodec<QuestionDimension> {
  static var dimension: JSONCodec {
    JSONCodec(.named("Dimension")) { node throws(JSONFault) in
      guard let dimension = QuestionDimension(try node.text()) else {
        throw node.fault(
          "There is no such dimension; possible are \(QuestionDimension.plainNames.joined(separator: ", ")), "
            + "and property:NAME.")
      }
      return dimension
    } encode: {
      .text($0.name)
    }
  }
}

extension QuestionDimension {
  /// The names of all dimensions but properties.
  fileprivate static var plainNames: [String] { plain.map(\.0) + TimeUnit.allCases.map { "time:\($0.rawValue)" } }

  static var plainSchema: Schema { .choice(plainNames) }
}
