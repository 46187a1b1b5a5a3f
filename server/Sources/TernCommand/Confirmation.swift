import ArgumentParser
import Foundation
import TernServer

/// The confirmation of a command that destroys data.
struct Confirmation: ParsableArguments {
  @Flag(help: "Don't ask for confirmation.")
  var yes = false

  /// Asks the person at the terminal to confirm, unless `--yes` was given.
  ///
  /// - Parameter loss: A sentence that says what will be lost.
  /// - Throws: ``ServerFailure`` if the person doesn't confirm, or if there is no terminal to ask at.
  func require(_ loss: String, from terminal: AskingTerminal = .standard) throws {
    guard !yes else { return }
    guard terminal.isInteractive else { throw ServerFailure("\(loss) To confirm, add --yes.") }
    terminal.ask("\(loss)\nThis can't be undone. Type yes to continue: ")
    guard terminal.answer()?.trimmingCharacters(in: .whitespaces).lowercased() == "yes" else {
      throw ServerFailure("Nothing was changed.")
    }
  }
}

/// The terminal at which a person answers questions.
struct AskingTerminal {
  var isInteractive: Bool
  var ask: (String) -> Void
  var answer: () -> String?

  /// The terminal of the process. The question goes to standard error, since standard output may be a file.
  static var standard: AskingTerminal {
    AskingTerminal(
      isInteractive: isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1,
      ask: { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) }, answer: { readLine() })
  }
}
