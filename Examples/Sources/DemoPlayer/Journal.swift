import Foundation

/// A file of all recorded calls, with which a test compares the reports even after SIGKILL.
///
/// It has a line before each call (`>`) and one after it (`<`): events with `<` must arrive, those with only `>` may.
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
    // A failing journal must not stop the player.
    try? file?.write(contentsOf: Data(line.utf8))
  }
}
