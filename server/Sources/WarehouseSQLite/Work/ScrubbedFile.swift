import RowFiles
import Warehouse

/// A file that a scrub reads and checks.
package struct ScrubbedFile: Sendable, Hashable {
  /// The kinds of files, as metrics name them.
  package enum Kind: String, Sendable, CaseIterable {
    case rows, keys, columns, backups

    /// A sentence for anyone.
    var summaryOfDamage: String {
      switch self {
      case .rows: "Some stored events can't be read."
      case .keys: "A file that detects duplicates is damaged."
      case .columns: "A file that answers questions is damaged."
      case .backups: "A backup is damaged."
      }
    }
  }

  package let kind: Kind
  package let path: String
  /// A text that stays the same as long as the file does. Files that share their bytes on disk share it, too.
  package let identity: String
  /// The file's entry in the list of a backup; `nil` for other files.
  package let listed: Listed?

  package struct Listed: Hashable {
    package var bytes: Int
    package var check: String

    package init(bytes: Int, check: String) { (self.bytes, self.check) = (bytes, check) }
  }

  package init(_ kind: Kind, path: String, identity: String, listed: Listed? = nil) {
    (self.kind, self.path, self.identity, self.listed) = (kind, path, identity, listed)
  }

  /// Creates a file of the data directory.
  package init(_ kind: Kind, path: String) {
    self.init(kind, path: path, identity: "\(kind.rawValue)/\(Self.name(path))")
  }

  /// The name without its directory.
  package var name: String { Self.name(path) }

  /// The number of a segment of rows.
  package var segment: Int64? { kind == .rows ? Int64(name.dropLast(RowSegment.suffix.count)) : nil }

  private static func name(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }
}
