/// A page: a value with everything that it shows.
///
/// A page is a type in a file of its name, and its template. The pages of reports and of settings are listed in ``PageList``.
package protocol Page: Sendable {
  /// Returns the page; rethrows the errors of what it reads or asks while it is drawn.
  func html() async throws -> String
}
