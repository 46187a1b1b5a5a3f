/// The fault of a JSON document, or of a value in it.
package struct JSONFault: Error, Equatable, Sendable {
  /// A sentence that names the fault and says what is possible instead.
  package var message: String
  /// The JSON path of the fault, such as `$.steps[1].event`; `$` for the whole document.
  package var path: String

  package init(_ message: String, at path: String) { (self.message, self.path) = (message, path) }
}
