/// The reports of apps and of views. A report exists in commands, addresses and navigation once it is listed here.
package struct ReportRegistry: Sendable {
  /// Tern's reports.
  package static let standard = ReportRegistry(app: AppReports.all, view: ViewReports.all)

  /// The reports of an app, in the order of the navigation.
  package var app: [ReportDefinition]
  /// The reports of a view, in the order of its pages.
  package var view: [ReportDefinition]

  package init(app: [ReportDefinition], view: [ReportDefinition]) {
    self.app = app
    self.view = view
  }

  /// Finds a report of an app or a view; throws ``ReportError`` with the valid names.
  package func report(named name: String, ofView isView: Bool = false) throws(ReportError) -> ReportDefinition {
    try (isView ? view : app).named(name, by: \.name, code: .unknownReport) {
      "There is no report \($0)\(isView ? " of a view" : ""). Choose one of: \($1)."
    }
  }
}

extension Sequence {
  /// Finds the element with a name.
  ///
  /// - Parameter message: Creates the error message from the quoted name and the list of valid ones.
  func named(
    _ name: String, by path: KeyPath<Element, String>, code: ReportError.Code, message: (String, String) -> String
  ) throws(ReportError) -> Element {
    if let element = first(where: { $0[keyPath: path] == name }) { return element }
    throw ReportError(code, message("\"\(visible(name))\"", map { $0[keyPath: path] }.joined(separator: ", ")))
  }
}
