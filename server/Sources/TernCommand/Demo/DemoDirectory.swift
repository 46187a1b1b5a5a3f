import Foundation

/// Where a demo keeps the server's data and the queues of its processes.
struct DemoDirectory {
  let data: URL
  let queues: URL
  let isTemporary: Bool
  private let root: URL

  /// Makes the directory. One that is named must be new or empty: history played twice into it would count twice.
  init(_ path: String?) throws {
    isTemporary = path == nil
    root =
      path.map { URL(filePath: $0).standardizedFileURL }
      ?? FileManager.default.temporaryDirectory.appending(path: "tern-demo-\(UUID().uuidString)")
    data = root
    queues = isTemporary ? root.appending(path: "queues") : root.appending(path: "demo-queues")
    let existing = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    guard existing.isEmpty else {
      throw CommandFailure(
        "\(root.path) is not empty. Name a new directory, or use `tern serve` to show what is there.")
    }
    do {
      try FileManager.default.createDirectory(at: queues, withIntermediateDirectories: true)
    } catch {
      throw CommandFailure("\(root.path) cannot be created: \(error.localizedDescription)")
    }
  }

  func removeIfTemporary() {
    if isTemporary { try? FileManager.default.removeItem(at: root) }
  }
}
