import ArgumentParser
import Foundation
import HTTP
import Questions
import Reports
import Tern
import TernServer
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
      self.init(code: 2, text: "tern: \(ServerFailure.line(Self.message(error)))")
    }
  }

  init(code: Int32, text: String?) {
    self.code = code
    self.text = text
  }

  private static func message(_ error: any Error) -> String {
    if let error = error as? TernError { return error.message }
    return ServerFailure.message(of: error) ?? RootCommand.message(for: error)
  }
}
