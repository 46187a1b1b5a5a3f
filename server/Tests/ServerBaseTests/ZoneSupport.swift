import Foundation
import TernBase

@testable import ServerBase

/// A folder of zone data that is deleted with this object.
final class ZoneFolder: Sendable {
  let path = FileManager.default.temporaryDirectory.path + "/tern-zones-\(UUID().uuidString)"

  /// - Parameter edition: What the folder says of itself; `nil` for nothing.
  init(edition: String?, _ zones: [String: ZoneTable]) throws {
    if let edition { try write(Array("# version \(edition)\n# redo posix_only\n".utf8), to: "tzdata.zi") }
    for (name, table) in zones { try write(table.file, to: name) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ bytes: [UInt8], to name: String) throws {
    let file = URL(fileURLWithPath: "\(path)/\(name)")
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }
}

func seconds(_ text: String) -> Int64 { Int64((try? Date(text, strategy: .iso8601))?.timeIntervalSince1970 ?? 0) }

func zoneTable(_ first: Int, _ changes: [(String, Int)] = [], rule: String? = nil) -> ZoneTable? {
  ZoneTable(
    first: first, changes: changes.map { ZoneTable.Change(second: seconds($0.0), offset: $0.1) },
    rule: rule.flatMap { ZoneRule($0) })
}

struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
