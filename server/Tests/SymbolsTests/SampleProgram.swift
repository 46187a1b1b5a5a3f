import Foundation
import TernChildProcess
import TernEvents
import Testing

@testable import Symbols

extension FastGenerator {
  /// Returns a generator with the seed in the environment's `SEED`, or a random one, which is printed.
  static func seeded() -> FastGenerator {
    let seed = ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64(UInt32.max))
    print("SEED=\(seed)")
    return FastGenerator(seed: seed)
  }
}

/// A directory that is removed with this object.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("tern-symbols-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: "\(path)/\(name)"))) }

  func write(_ bytes: [UInt8], _ name: String) throws -> String {
    try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
    return "\(path)/\(name)"
  }

  /// True if there is a program in `PATH`.
  static func hasTool(_ name: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  /// Runs a tool in the directory; returns its output.
  @discardableResult
  func run(_ tool: String, _ arguments: [String]) throws -> String {
    let output = Pipe()
    let process = try ChildProcess(tool, arguments, output: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    try #require(process.wait() == .code(0), "\(tool) \(arguments)")
    return text
  }
}

/// A C program with a function that is inlined into another, compiled with debug information.
struct SampleProgram {
  static let source = """
    static inline __attribute__((always_inline)) int inner(int *place) {
      return *place;
    }
    __attribute__((noinline)) int outer(int *place) {
      return inner(place) + 1;
    }
    int main(int count, char **arguments) {
      return outer((int *)(long)count);
    }
    """
  let directory: TemporaryDirectory
  let path: String
  let bytes: [UInt8]

  init(_ source: String = Self.source) throws {
    directory = try TemporaryDirectory()
    let code = try directory.write(Array(source.utf8), "sample.c")
    path = "\(directory.path)/sample"
    try directory.run("clang", ["-g", "-O1", "-Wl,--build-id", "-o", path, code])
    bytes = try directory.bytes("sample")
  }

  /// The build identifier, as another tool reads it.
  var buildID: String {
    get throws {
      let notes = try directory.run("readelf", ["-n", path])
      return String(try #require(notes.firstMatch(of: /Build ID: ([0-9a-f]+)/)).1)
    }
  }

  /// The address of a function.
  func address(of function: String) throws -> UInt64 {
    let line = try directory.run("nm", [path]).split(separator: "\n").first { $0.hasSuffix(" \(function)") }
    let digits = try #require(line).prefix { $0 != " " }
    return try #require(UInt64(digits, radix: 16))
  }

  /// Returns the bytes of the program after a tool has changed it.
  func copied(by tool: String, _ options: [String], isOutputLast: Bool = false) throws -> [UInt8] {
    let output = "\(directory.path)/copied"
    try directory.run(tool, options + (isOutputLast ? [path, output] : [output, path]))
    return try directory.bytes("copied")
  }
}

/// The smallest Mach-O files that have what a parser looks for.
enum MachOSample {
  static func universal() -> [UInt8] {
    let parts = [
      thin(cpu: 0x0100_0007, uuid: (0..<16).map { $0 * 0x11 }),
      thin(cpu: 0x0100_000C, uuid: (0..<16).reversed().map { $0 * 0x11 }),
    ]
    var bytes: [UInt8] = [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 2]
    for (number, part) in parts.enumerated() {
      bytes += number == 0 ? [1, 0, 0, 7, 0, 0, 0, 0] : [1, 0, 0, 12, 0, 0, 0, 0]
      for word in [1_024 * (number + 1), part.count, 10] { bytes += little(UInt32(word)).reversed() }
    }
    for (number, part) in parts.enumerated() {
      bytes += [UInt8](repeating: 0, count: 1_024 * (number + 1) - bytes.count)
      bytes += part
    }
    return bytes
  }

  /// A file with debug information, which is missing.
  static func thin(cpu: UInt32, uuid: [UInt8], textAddress: UInt64 = 0x1_0000_0000) -> [UInt8] {
    let information = joined(
      name16("__debug_info"), name16("__DWARF"), long(0x2_0000_0000), long(64), [UInt8](repeating: 0, count: 32))
    return file(
      cpu: cpu, type: 10,
      [
        joined(little(0x1B, 24), uuid), segment("__TEXT", textAddress, 0, 64),
        segment("__DWARF", 0x2_0000_0000, 0, 64, information),
      ])
  }

  /// An executable with the symbol of one function, and no code.
  ///
  /// - Parameter starts: The distances of functions from `base`, of which it has a table unless there are none.
  static func executable(
    uuid: [UInt8], base: UInt64, function: UInt64, size: UInt64, symbol: String, starts: [UInt64] = []
  ) -> [UInt8] {
    let link: UInt64 = 0x4000
    let names = Array("\0\(symbol)\0".utf8)
    let symbols = joined(little(1), [0x0F, 1, 0, 0], long(function))
    let text = joined(
      name16("__text"), name16("__TEXT"), long(function), long(size), little(UInt32(function - base), 2, 0, 0),
      little(0x8000_0400, 0, 0, 0))
    let place = UInt32(link)
    let end = place + UInt32(symbols.count + names.count)
    var (table, previous) = ([UInt8](), UInt64(0))
    for start in starts {
      var distance = start - previous
      while distance > 0x7F {
        table.append(UInt8(distance & 0x7F | 0x80))
        distance >>= 7
      }
      table.append(UInt8(distance))
      previous = start
    }
    let head = file(
      cpu: 0x0100_000C, type: 2,
      [
        joined(little(0x1B, 24), uuid), segment("__TEXT", base, 0, link, text),
        segment("__LINKEDIT", base + link, link, UInt64(symbols.count + names.count + table.count)),
        little(2, 24, place, 1, place + UInt32(symbols.count), UInt32(names.count)),
      ] + (table.isEmpty ? [] : [little(0x26, 16, end, UInt32(table.count))]))
    return joined(head, [UInt8](repeating: 0, count: Int(link) - head.count), symbols, names, table)
  }

  private static func file(cpu: UInt32, type: UInt32, _ commands: [[UInt8]]) -> [UInt8] {
    let body = commands.flatMap { $0 }
    return joined(little(0xFEED_FACF, cpu, 0, type, UInt32(commands.count), UInt32(body.count), 0, 0), body)
  }

  private static func segment(
    _ name: String, _ address: UInt64, _ offset: UInt64, _ bytes: UInt64, _ section: [UInt8] = []
  ) -> [UInt8] {
    joined(
      little(0x19, UInt32(72 + section.count)), name16(name), long(address), long(0x4000), long(offset), long(bytes),
      little(5, name == "__TEXT" ? 5 : 1, section.isEmpty ? 0 : 1, 0), section)
  }

  private static func joined(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }

  private static func name16(_ text: String) -> [UInt8] {
    Array((Array(text.utf8) + [UInt8](repeating: 0, count: 16)).prefix(16))
  }

  private static func little(_ words: UInt32...) -> [UInt8] {
    words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
  }

  private static func long(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
