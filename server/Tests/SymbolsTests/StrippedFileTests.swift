import AppCatalog
import Foundation
import Ingest
import Testing
import Warehouse

@testable import Symbols

/// Files that have names for some of their functions only: those that stripping leaves.
struct StrippedFileTests {
  private static let source = """
    #define FUNCTION __attribute__((noinline))
    FUNCTION int first(int x) { volatile int y = x; return y * 3; }
    FUNCTION static int second(int x) { volatile int y = x; return y * 5; }
    FUNCTION static int third(int x) { volatile int y = x; return y * 7; }
    FUNCTION static int fourth(int x) { volatile int y = x; return y * 11; }
    FUNCTION static int fifth(int x) { volatile int y = x; return y * 13; }
    int main(int count, char **arguments) {
      return first(count) + second(count) + third(count) + fourth(count) + fifth(count);
    }

    """

  private static let linker = "ld64.lld-14"
  private static let hasLinker = [linker, "llvm-strip", "llvm-nm"].allSatisfy(TemporaryDirectory.hasTool)

  /// A program for macOS, linked by LLVM's linker: Swift's refuses to.
  private struct Program {
    func link() throws -> (directory: TemporaryDirectory, path: String, functions: [String: UInt64]) {
      let directory = try TemporaryDirectory()
      let code = try directory.write(Array(StrippedFileTests.source.utf8), "a.c")
      let (object, path) = ("\(directory.path)/a.o", "\(directory.path)/a")
      try directory.run("clang", ["-target", "arm64-apple-macos12", "-O1", "-c", "-o", object, code])
      try directory.run(
        StrippedFileTests.linker,
        [
          "-arch", "arm64", "-platform_version", "macos", "12.0", "12.0", "-undefined", "dynamic_lookup", "-e", "_main",
          "-o", path, object,
        ])
      let lines = try directory.run("llvm-nm", [path]).split(separator: "\n").map { $0.split(separator: " ") }
      let functions = lines.compactMap { parts in
        UInt64(parts[0], radix: 16).map { (String(parts[2].dropFirst()), $0) }
      }
      return (directory, path, Dictionary(functions) { first, _ in first })
    }
  }

  private func home() throws -> (directory: TemporaryDirectory, catalog: Catalog, app: AppID) {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    return (directory, catalog, try catalog.createApp(name: "A").id)
  }

  /// Looks up positions of a file; returns the names.
  private func names(at addresses: [UInt64], in path: String) async throws -> [String] {
    let (directory, catalog, app) = try home()
    let store = SymbolStore(directory: directory.path, catalog: catalog)
    let file = try #require(try store.add(path: path, app: app).first)
    var stack = ErrorStack()
    stack.threads = [ErrorStack.Thread(name: "")]
    stack.threads[0].frames = addresses.map { address in
      var frame = ErrorStack.Frame()
      (frame.buildID, frame.offset) = (file.file.buildID, address - file.file.textAddress)
      return frame
    }
    let symbolicator = Symbolicator(
      catalog: catalog, program: "llvm-symbolizer", launcher: SymbolicatorTests.tern)
    let (found, problem) = await symbolicator.symbolicated(stack, app: app)
    #expect(problem == nil)
    return found.threads[0].frames.map(\.function)
  }

  @Test(.enabled(if: hasLinker))
  func `a stripped program for macOS is refused, and the answer names the dSYM`() throws {
    let program = Program()
    let (directory, path, _) = try program.link()
    try directory.run("llvm-strip", ["-o", "\(path)-stripped", path])
    #expect(throws: ObjectError.strippedMachO) { try ObjectFile.read(ObjectSource(directory.bytes("a-stripped"))) }
    let file = try #require(try ObjectFile.read(ObjectSource(directory.bytes("a"))).first)
    #expect(!file.hasLines && file.functions != nil)
  }

  @Test(.enabled(if: hasLinker && TemporaryDirectory.hasTool("llvm-symbolizer")))
  func `a program for macOS with its exported functions names no others`() async throws {
    let program = Program()
    let (directory, path, functions) = try program.link()
    try directory.run("llvm-strip", ["-x", "-o", "\(path)-exports", path])
    let order = ["first", "main", "second", "third", "fourth", "fifth"]
    let positions = try order.map { try #require(functions[$0]) + 8 }
    #expect(try await names(at: positions, in: path) == order)
    #expect(try await names(at: positions, in: "\(path)-exports") == ["first", "main", "", "", "", ""])
  }

  @Test(.enabled(if: TemporaryDirectory.hasTool("llvm-symbolizer")))
  func `a table of functions says where the last name ends`() async throws {
    let directory = try TemporaryDirectory()
    let base: UInt64 = 0x1_0000_0000
    func path(_ starts: [UInt64]) throws -> String {
      try directory.write(
        MachOSample.executable(
          uuid: [UInt8](repeating: 7, count: 16), base: base, function: base + 0x1000, size: 0x1000, symbol: "_named",
          starts: starts), "player")
    }
    let positions = [base + 0x1004, base + 0x1ffc]
    #expect(try await names(at: positions, in: path([])) == ["named", "named"])
    #expect(try await names(at: positions, in: path([0x1000])) == ["named", "named"])
    #expect(try await names(at: positions, in: path([0x1000, 0x1300, 0x1ffc])) == ["named", ""])
    // One name for so many functions is none.
    let many = (0..<9).map { 0x1000 + $0 * 0x10 as UInt64 }
    await #expect(throws: ObjectError.strippedMachO) { try await names(at: positions, in: path(many)) }
  }

  @Test(.enabled(if: TemporaryDirectory.hasTool("llvm-symbolizer")))
  func `a stripped library has the names of its exported functions, and of no others`() async throws {
    let directory = try TemporaryDirectory()
    let code = try directory.write(
      Array(
        (Self.source
          + "__asm__(\".globl unsized\\n.text\\nunsized: nop\\n.fill 300000, 1, 0x90\\n\");\n").utf8), "a.c")
    let path = "\(directory.path)/a.so"
    try directory.run(
      "clang", ["-shared", "-fPIC", "-fno-semantic-interposition", "-O1", "-Wl,--build-id", "-o", path, code])
    let lines = try directory.run("nm", [path]).split(separator: "\n").map { $0.split(separator: " ") }
    func address(_ name: String) throws -> UInt64 {
      let line = try #require(lines.first { $0.last.map(String.init) == name })
      return try #require(UInt64(line[0], radix: 16))
    }
    try directory.run("strip", ["-s", "-o", "\(path)-stripped", path])
    let order = ["first", "second", "third", "main"]
    var positions = try order.map { try address($0) + 2 }
    positions += [try address("unsized"), try address("unsized") + 200_000]
    #expect(try await names(at: positions, in: "\(path)-stripped") == ["first", "", "", "main", "unsized", ""])
    #expect(try await names(at: positions, in: path) == order + ["unsized", ""])
  }
}
