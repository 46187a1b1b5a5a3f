import Foundation

extension DataDirectory {
  /// Deletes files that are under a name of their own only for a moment, unless a process is killed meanwhile. Only the owner
  /// may call this.
  func removeLeftovers() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] where Self.isLeftover(name) {
      unlink("\(path)/\(name)")
    }
  }

  /// True for names like `owner.`, followed by a UUID, and `probe.`, followed by six characters.
  static func isLeftover(_ name: String) -> Bool {
    guard let point = name.lastIndex(of: ".") else { return false }
    let end = name[name.index(after: point)...]
    switch name[..<point] {
    case "owner": return UUID(uuidString: String(end)) != nil
    case "probe": return end.utf8.count == 6
    case let database: return database.hasSuffix(".sqlite-shm") && end.utf8.count == 6
    }
  }
}
