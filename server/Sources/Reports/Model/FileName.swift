import Foundation
import Questions
package import Warehouse

/// The name of a file that a reader saves: its app, its content and its days, in ASCII letters, digits and hyphens.
package struct FileName: Sendable, Hashable {
  /// The most characters of each part.
  private static let maximumLength = 40

  package let text: String

  /// Creates a name of an app, the parts that name the content, and the first and the last day, if there are some.
  package init(_ app: App, _ content: [String], from: Day?, to: Day?, remark: String = "", ending: String) {
    let name = Self.part(app.name, else: "app-\(app.id)")
    let days =
      switch (from, to) {
      case (let from?, let to?): from == to ? "\(from)" : "\(from)-to-\(to)"
      case (let from?, nil): "from-\(from)"
      case (nil, let to?): "to-\(to)"
      case (nil, nil): ""
      }
    let parts = [name] + (content + [days, remark]).map(Self.plain)
    text = parts.filter { !$0.isEmpty }.joined(separator: "-") + ".\(ending)"
  }

  /// The header field `Content-Disposition` with which a browser saves the file.
  package var disposition: String { "attachment; filename=\"\(text)\"" }

  /// Returns a name as a part; of a name without any letter or digit of ASCII, another text.
  static func part(_ name: String, else other: String) -> String {
    let part = plain(name)
    return part.isEmpty ? other : part
  }

  /// Returns a text with letters without their marks, and a hyphen for everything else.
  private static func plain(_ text: String) -> String {
    var plain = ""
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
      if scalar.isASCII, scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
        plain.unicodeScalars.append(scalar)
      } else if scalar.properties.generalCategory != .nonspacingMark, !plain.isEmpty, !plain.hasSuffix("-") {
        plain += "-"
      }
      if plain.utf8.count == maximumLength { break }
    }
    return plain.hasSuffix("-") ? String(plain.dropLast()) : plain
  }
}

extension Report {
  /// The name of the report as a file.
  package func fileName(of app: App, _ format: ReportFormat) -> FileName {
    let chosen = request.report.parameters.compactMap { request[$0] }
    let view = request.view.map { FileName.part($0.name, else: "view-\($0.id)") }
    return FileName(
      app, [view, request.report.name].compactMap(\.self) + chosen, from: request.days.lowerBound,
      to: request.days.upperBound, ending: format == .table ? "txt" : format.rawValue)
  }
}

extension AnsweredQuestion {
  /// The name of the answer as a file. It says how many rows the file has if these are not all: a reader of CSV sees
  /// nothing else.
  package func fileName(of app: App, _ content: [String], _ format: AnswerFormat) -> FileName {
    var days: ClosedRange<Day>?
    if case .dates(let first, let last) = question.scope.range, first <= last { days = first...last }
    let remark = place.map { "rows-\($0.rows.lowerBound)-to-\($0.rows.upperBound)-of-\($0.all)" } ?? ""
    return FileName(
      app, content, from: days?.lowerBound, to: days?.upperBound, remark: remark,
      ending: format == .rows ? "rows.json" : format.rawValue)
  }
}
