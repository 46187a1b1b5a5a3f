import Foundation

/// The inputs to start from, which are in the repository. `tern-fuzz corpus Fuzz/Corpus` writes them again.
enum Corpus {
  /// The inputs of each target.
  static var all: [String: [[UInt8]]] {
    [
      "native": native, "app-center": appCenter, "hits": hits, "clients": clients, "gzip": gzip, "requests": requests,
      "questions": questions,
      "imports": imports,
      "rows": rows, "packs": packs, "columns": columns, "keys": keys, "segments": segments, "responses": responses,
      "netlink": netlink, "crashes": crashes, "symbols": symbols,
      "mappings": mappings,
    ]
  }

  static func write(to directory: String) throws {
    for (target, inputs) in all {
      let place = "\(directory)/\(target)"
      try? FileManager.default.removeItem(atPath: place)
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      for (index, input) in inputs.enumerated() {
        let name = "\(place)/" + (index < 10 ? "00" : index < 100 ? "0" : "") + "\(index)"
        try Data(input).write(to: URL(fileURLWithPath: name))
      }
    }
  }

  static func texts(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }
}
