package import Reports
package import Warehouse

/// The pages that people see instead of the one they asked for.
package protocol ErrorPages: Sendable {
  /// Returns a page in HTML.
  ///
  /// - Parameter message: What is wrong, and what to do; `nil` for that of the status.
  func error(status: Int, message: String?) -> String
  /// Returns the page for a report that can't be shown, with a link to one that helps.
  func error(_ error: ReportError, status: Int, app: AppID?) -> String
}
