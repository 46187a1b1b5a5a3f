import ArgumentParser
import Collector
import Foundation
import Reports
import Tern
import Warehouse

/// How the program ends: its exit code, and what it says last.
struct CommandEnding: Equatable {
  /// 0 for success, 1 for a negative answer, 2 for a mistake or a failure.
  var code: Int32
  /// What is printed; one line when it is a failure.
  var text: String?

  /// Whether the text belongs on standard error.
  var isFailure: Bool { code != 0 }

  /// The end that an error makes. The parser's own code for mistakes is 64, with its usage; ours is 2, with one line.
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
    case let error as TernError: error.message
    default: RootCommand.message(for: error)
    }
  }

  /// A text as one line without control characters: it may quote what was typed.
  static func line(_ text: String) -> String {
    let words = text.split { $0.isNewline || $0 == " " || $0 == "\t" }.joined(separator: " ")
    return String(words.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : Character($0) })
  }
}

/// A failure that is explained in one line.
struct CommandFailure: Error {
  /// The reason and what to do.
  let message: String
  init(_ message: String) { self.message = message }
}
