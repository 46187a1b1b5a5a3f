import Mustache
import Reports
import Warehouse

/// The values that a template shows, by name.
///
/// Values that are `nil` are left out, and a section of a missing value is not rendered. Where an enclosing section has
/// a value of the same name, the template shows that one instead, so optional values need names of their own. Without
/// reflection, which would take longer for thousands of rows than reading them.
struct TemplateValues: ExpressibleByDictionaryLiteral, MustacheParent {
  private let values: [String: Any]

  init(dictionaryLiteral elements: (String, Any?)...) {
    values = Dictionary(
      elements.compactMap { name, value in value.map { (name, $0) } }, uniquingKeysWith: { $1 })
  }

  func child(named name: String) -> Any? { values[name] }
}

extension TemplateValues {
  /// A text that leads to a page.
  static func link(_ text: String, _ link: String, isActive: Bool = false) -> TemplateValues {
    ["text": text, "link": link, "isActive": isActive]
  }

  /// One large number with its change and a sparkline.
  ///
  /// - Parameter about: One sentence that says what the number is.
  static func tile(
    _ label: String, _ value: String, change: Change? = nil, hint: String = "", spark: String = "",
    link: String? = nil, about: String? = nil
  ) -> TemplateValues {
    [
      "label": label, "value": value, "change": change?.values, "hint": hint, "spark": spark, "target": link,
      "about": about,
    ]
  }

  /// A line of a short list, with a bar under it.
  ///
  /// - Parameters:
  ///   - filter: The address of the page with a filter for this line.
  ///   - people: The address of the people behind the amount.
  static func bar(
    _ label: String, _ amount: Int, _ share: Double, link: String? = nil, color: Int = 1, filter: String? = nil,
    people: String? = nil
  ) -> TemplateValues {
    [
      "label": label, "target": link, "amount": grouped(amount), "percent": percentage(share),
      "bar": ShareBar.svg(share, color: color), "filterLink": filter, "peopleLink": people,
    ]
  }
}
