package import Reports

/// A range of days that a page can't show, with the reason. The page shows its default range instead.
package struct RangeMistake: Sendable {
  /// The ends as the reader wrote them.
  var from: String?
  var to: String?
  var message: String

  init(from: String?, to: String?, message: String) {
    (self.from, self.to) = (from.map { shown($0, limit: 40) }, to.map { shown($0, limit: 40) })
    self.message = message
  }

  /// Returns `nil` if the error is about something else than the range.
  package init?(_ error: ReportError, in parameters: [String: String]) {
    guard [.invalidDate, .invalidRange, .invalidNumber].contains(error.code) else { return nil }
    self.init(from: parameters["from"], to: parameters["to"], message: error.message)
  }

  /// The parameters of an address without its range.
  package static func removed(from parameters: [String: String]) -> [String: String] {
    parameters.filter { !["from", "to", "days"].contains($0.key) }
  }
}
