import Foundation

/// A record on disk of the inputs that share a warehouse: the one that ends the process may be any of them. It is kept if
/// the process ends.
struct SharedInputs {
  /// True to give each input a warehouse of its own, so that it is known which of them fails.
  let isSingle = ProcessInfo.processInfo.environment["TERN_FUZZ_SINGLE"] != nil
  private let directory = ProcessInfo.processInfo.environment["TERN_FUZZ_RECORD"]
  /// The number of inputs.
  private(set) var count = 0

  mutating func add(_ input: [UInt8]) {
    if let directory, !isSingle {
      if count == 0 { try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true) }
      _ = FileManager.default.createFile(atPath: "\(directory)/\(count)", contents: Data(input))
    }
    count += 1
  }

  mutating func clear() {
    count = 0
    if let directory { try? FileManager.default.removeItem(atPath: directory) }
  }
}
