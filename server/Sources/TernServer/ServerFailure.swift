import ClickHouse
import HTTP
import Questions
import Reports
import Warehouse

/// A failure of the server or of a command, with a one-line explanation.
package struct ServerFailure: Error, CustomStringConvertible {
  /// The reason and the remedy.
  package let message: String
  package var description: String { message }
  package init(_ message: String) { self.message = message }

  /// Returns what an error says, on one line.
  package static func reason(of error: any Error) -> String { line(message(of: error) ?? "\(error)") }

  /// Returns what an error of the server says; `nil` for others.
  package static func message(of error: any Error) -> String? {
    switch error {
    case let error as ServerFailure: error.message
    case let error as WarehouseError: error.description
    case let error as CollectorError: error.message
    case let error as ReportError: error.message
    case let error as QuestionError: "\(error.message) (\(error.path))"
    default: nil
    }
  }

  /// Returns text on one line without control characters, because it may quote user input.
  package static func line(_ text: String) -> String {
    let words = text.split { $0.isNewline || $0 == " " || $0 == "\t" }.joined(separator: " ")
    return String(words.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : Character($0) })
  }

  /// Runs `body`; errors of ClickHouse become messages.
  package static func describing<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as ClickHouseError {
      throw ServerFailure(error.message)
    }
  }
}
