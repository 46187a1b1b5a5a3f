import Foundation

/// The program's output. Unbuffered, so that the log of a running server shows each line at once.
enum Terminal {
  /// Prints to standard output.
  static func say(_ text: String) { write(text, to: .standardOutput) }

  /// Prints to standard error.
  static func complain(_ text: String) { write(text, to: .standardError) }

  /// Prints to standard error what the program does meanwhile.
  static func note(_ text: String) { complain("tern: \(text)") }

  /// Shows progress on a single line that is overwritten; prints nothing unless standard error is a terminal.
  static func progress(_ text: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    try? FileHandle.standardError.write(contentsOf: Data("\r\(text)\u{1B}[K".utf8))
  }

  private static func write(_ text: String, to handle: FileHandle) {
    // Compare bytes: in Swift, CR LF at the end of CSV is a single character. A closed pipe is no reason to fail.
    try? handle.write(contentsOf: Data((text.utf8.last == 0x0A ? text : text + "\n").utf8))
  }
}
