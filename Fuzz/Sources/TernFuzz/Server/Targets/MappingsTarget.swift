@testable import Symbols

extension FuzzTarget {
  /// Mappings of R8 and ProGuard that someone uploads, in which the calls of stacks are looked up.
  static var mappings: FuzzTarget {
    let calls = names
    return FuzzTarget(mutate: swapLines) { input in
      let source = ObjectSource(Array(input))
      guard let index = try? MappingIndex(source) else { return }
      precondition(index.count > 0)
      guard let found = try? Mapping(source: source, index: index).frames(of: calls) else { return }
      for (name, frames) in found {
        precondition(calls.contains(name) && frames.count <= 64)
        precondition(frames.allSatisfy { !$0.function.isEmpty && $0.line >= 0 })
      }
      let classes = classes(String(decoding: input, as: UTF8.self))
      for name in calls where name.method == nil {
        guard let originals = classes[name.className], originals.count <= 16 else { continue }
        let original = Set(originals).count == 1 ? originals[0] : nil
        precondition(found[name]?.first?.function == original)
      }
    }
  }

  /// The calls that are looked up: all of few classes, methods, lines and files.
  private static var names: Set<RetracedName> {
    var names: Set<RetracedName> = []
    for className in ["a.a", "a.b", "d.a.a.a"] {
      names.insert(RetracedName(className: className))
      for method in ["a", "b", "<init>"] {
        for (line, file) in [(0, ""), (1, "SourceFile"), (5, "a.java"), (999_999_999, "")] {
          var name = RetracedName(className: className)
          (name.method, name.line, name.file) = (method, line, file)
          names.insert(name)
        }
      }
    }
    return names
  }

  /// The names of the source by shortened names, read without an index; none of a text with other bytes than those of ASCII.
  private static func classes(_ text: String) -> [String: [String]] {
    var classes: [String: [String]] = [:]
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return [:] }
    for line in text.utf8.split(separator: 0x0A) {
      let line = Substring(line.last == 0x0D ? line.dropLast() : line)
      guard line.last == ":", let first = line.first, !" \t#".contains(first), let arrow = line.ranges(of: " -> ").last
      else { continue }
      classes[String(line[arrow.upperBound...].dropLast()), default: []].append(String(line[..<arrow.lowerBound]))
    }
    return classes
  }

  /// Moves, repeats or joins lines, as mappings of several modules have them, half of the time; changes bytes otherwise.
  private static func swapLines(
    _ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, _ capacity: Int, _ seed: UInt32
  ) -> Int {
    let text = Array(UnsafeBufferPointer(start: bytes, count: size))
    var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard seed % 2 == 0, lines.count > 1 else { return changeBytes(bytes, size, capacity, seed) }
    let (from, to) = (Int(seed / 2) % lines.count, Int(seed / 7) % lines.count)
    if seed % 3 == 0 { lines.insert(lines[from], at: to) } else { lines.swapAt(from, to) }
    let changed = Array(lines.joined(separator: [0x0A]))
    guard changed.count <= capacity else { return changeBytes(bytes, size, capacity, seed) }
    changed.withUnsafeBufferPointer { if let base = $0.baseAddress { bytes.update(from: base, count: changed.count) } }
    return changed.count
  }
}
