import Foundation

/// Writes down what was recorded, so that a test can compare the reports with it even after a SIGKILL.
///
/// One line before each call (`>`) and one after it (`<`): what has a `<` must arrive, what has only a `>` may.
struct Journal {
  private let file: FileHandle?

  init(path: String?) throws {
    guard let path else {
      file = nil
      return
    }
    if !FileManager.default.fileExists(atPath: path), !FileManager.default.createFile(atPath: path, contents: nil) {
      throw UsageError("cannot write the journal \(path)")
    }
    file = try FileHandle(forWritingTo: URL(filePath: path))
    try file?.seekToEnd()
  }

  func recording(_ entry: String, _ body: () -> Void) {
    write("> \(entry)\n")
    body()
    write("< \(entry)\n")
  }

  private func write(_ line: String) {
    // A journal that cannot be written must not stop the player.
    try? file?.write(contentsOf: Data(line.utf8))
  }
}
