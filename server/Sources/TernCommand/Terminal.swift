import Foundation

/// What the program prints. Unbuffered: whoever reads a log while the server runs sees each line at once.
enum Terminal {
  /// Prints to standard output.
  static func say(_ text: String) { write(text, to: .standardOutput) }

  /// Prints to standard error.
  static func complain(_ text: String) { write(text, to: .standardError) }

  /// Shows how far something is, on one line that is written over; nothing when nobody watches.
  static func progress(_ text: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    try? FileHandle.standardError.write(contentsOf: Data("\r\(text)\u{1B}[K".utf8))
  }

  private static func write(_ text: String, to handle: FileHandle) {
    // By bytes: to Swift, CSV ends with the one character CR LF, which is no line feed.
    // A reader that has gone is no reason to fail.
    try? handle.write(contentsOf: Data((text.utf8.last == 0x0A ? text : text + "\n").utf8))
  }
}
