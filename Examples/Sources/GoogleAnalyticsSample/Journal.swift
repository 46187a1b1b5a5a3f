import Foundation
import TernBase

/// Prints the app's calls to standard output; the end-to-end test compares them with the reports.
///
///     > 7 1714000000000 t=event ec=Video       about to record hit 7, with its time
///     < 7                                      the call returned: the hit must arrive
///     = handler good                           something else
///
/// Values are percent-encoded. Lines are unbuffered, so that a kill loses none.
enum Journal {
  private static let lock = NSLock()
  private static var last = 0

  /// Prints a hit, records it, and prints that the call has returned.
  static func hit(_ parameters: [String: String], age: TimeInterval = 0, _ record: () -> Void) {
    let number = lock.withLock {
      last += 1
      return last
    }
    let time = Int64(((Date().timeIntervalSince1970 - age) * 1_000).rounded())
    let pairs = parameters.sorted { $0.key < $1.key }.map { name, value in
      "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
    }
    write("> \(number) \(time) \(pairs.joined(separator: " "))")
    record()
    write("< \(number)")
  }

  static func note(_ text: String) { write("= \(text)") }

  private static func write(_ line: String) {
    lock.withLock { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
  }
}
