import ArgumentParser
import Collector
import Foundation
import Questions
import Reports
import Tern
import Warehouse

/// The exit code and last message of the program.
struct CommandEnding: Equatable {
  /// 0 for success, 1 for a negative result, 2 for a mistake or a failure.
  var code: Int32
  /// The message; one line for a failure.
  var text: String?

  /// True if the message goes to standard error.
  var isFailure: Bool { code != 0 }

  /// Creates the ending for an error: exit code 2 and one line instead of the parser's 64 and its usage.
  init(_ error: any Error) {
    if let exit = error as? ExitCode {
      self.init(code: exit.rawValue, text: nil)
    } else if RootCommand.exitCode(for: error) == .success {
      self.init(code: 0, text: RootCommand.fullMessage(for: error))
    } else {
      self.init(code: 2, text: "tern: \(Self.line(Self.message(error)))")
    }
  }

  init(code: Int32, text: String?) {
    self.code = code
    self.text = text
  }

  private static func message(_ error: any Error) -> String {
    switch error {
    case let error as CommandFailure: error.message
    case let error as WarehouseError: error.description
    case let error as CollectorError: error.message
    case let error as ReportError: error.message
    case let error as QuestionError: "\(error.message) (\(error.path))"
    case let error as TernError: error.message
    default: RootCommand.message(for: error)
    }
  }

  /// Returns text on one line without control characters, because it may quote user input.
  static func line(_ text: String) -> String {
    let words = text.split { $0.isNewline || $0 == " " || $0 == "\t" }.joined(separator: " ")
    return String(words.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : Character($0) })
  }
}

/// A failure with a one-line explanation.
struct CommandFailure: Error, CustomStringConvertible {
  /// The reason and the remedy.
  let message: String
  var description: String { message }
  init(_ message: String) { self.message = message }
}
