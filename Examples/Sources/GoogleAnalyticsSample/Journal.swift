import Foundation

/// Writes down on standard output what the app does: the end-to-end test compares it with the reports.
///
///     > 7 1714000000000 t=event ec=Video       about to record hit 7, which happened then
///     < 7                                      the call returned: the hit must arrive
///     = handler good                           something else
///
/// Values are percent-encoded. Lines are written at once, so that a kill loses none.
enum Journal {
  private static let lock = NSLock()
  private static var last = 0

  /// Writes a hit down, has it recorded, and says so.
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
