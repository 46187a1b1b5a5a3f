import AppCatalog
import Foundation
import Ingest
import Testing
import Warehouse

@testable import Symbols

/// App Center's crash logs of Apple's platforms, and a dSYM that Apple's tools in LLVM make on this machine.
struct AppleSymbolTests {
  /// A program of two functions for macOS, compiled but not linked: LLVM's linker doesn't do that here. So the executable
  /// is written by hand, and `dsymutil` gets the map of symbols that it would find in the executable.
  private struct Program {
    static let uuid = [UInt8](0..<16)
    /// The address of the text segment, where frames count from.
    static let base: UInt64 = 0x1_0000_0000
    static let function: UInt64 = 0x1_0000_3F00
    static let size: UInt64 = 12

    let directory: TemporaryDirectory
    var bundle: String { "\(directory.path)/Player.dSYM" }

    init() throws {
      directory = try TemporaryDirectory()
      let source = try directory.write(
        Array(
          """
          static inline __attribute__((always_inline)) int inner(int *place) { return *place; }
          __attribute__((noinline)) int outer(int *place) {
            return inner(place) + 1;
          }
          """.utf8), "player.c")
      let object = "\(directory.path)/player.o"
      try directory.run("clang", ["-target", "arm64-apple-macos12", "-g", "-O1", "-c", "-o", object, source])
      let executable = try directory.write(
        MachOSample.executable(
          uuid: Self.uuid, base: Self.base, function: Self.function, size: Self.size, symbol: "_outer"), "Player")
      let map = """
        ---
        triple: 'arm64-apple-darwin'
        binary-path: '\(executable)'
        objects:
          - filename: '\(object)'
            timestamp: 0
            symbols:
              - { sym: _outer, objAddr: 0x0, binAddr: 0x\(String(Self.function, radix: 16)), size: 0xc }
        ...

        """
      try directory.run("dsymutil", ["-y", try directory.write(Array(map.utf8), "map.yaml"), "-o", bundle])
    }
  }

  /// A crash log as App Center's SDK sends it: the first frame is where the thread was, the others are return addresses.
  private func log(frames: [UInt64], base: UInt64) -> String {
    let list = frames.map { #"{"address":"0x\#(String($0, radix: 16))"}"# }.joined(separator: ",")
    return #"{"type":"appleError","errorThreadId":0,"threads":[{"id":0,"frames":[\#(list)]}],"binaries":["#
      + #"{"id":"00010203-0405-0607-0809-0A0B0C0D0E0F","name":"Player","startAddress":"0x\#(String(base, radix: 16))","#
      + #""endAddress":"0x\#(String(base + 0x3FFF, radix: 16))"}]}"#
  }

  @Test(.enabled(if: ["dsymutil", "clang", "llvm-symbolizer"].allSatisfy(TemporaryDirectory.hasTool)))
  func `a crash log of an app has functions and lines where there is its dSYM`() async throws {
    let program = try Program()
    let home = try TemporaryDirectory()
    let catalog = try Catalog(directory: home.path)
    let app = try catalog.createApp(name: "A")
    let store = SymbolStore(directory: home.path, catalog: catalog)
    // Named after the map.
    let file = "\(program.bundle)/Contents/Resources/DWARF/map.yaml"
    let stored = try store.add(path: file, app: app.id).map(\.file)
    #expect(stored.map(\.buildID) == ["000102030405060708090a0b0c0d0e0f"] && stored[0].hasLines)
    #expect(stored[0].textAddress == Program.base && stored[0].architecture == "arm64")

    // The system has loaded the app elsewhere. The last return address is behind the function's last instruction.
    let base: UInt64 = 0x1_0438_8000
    let start = base + (Program.function - Program.base)
    let stack = ErrorStack(raw: log(frames: [start, start + Program.size], base: base))
    let symbolicator = Symbolicator(
      catalog: catalog, program: "llvm-symbolizer", launcher: SymbolicatorTests.tern)
    let (found, problem) = await symbolicator.symbolicated(stack, app: app.id)
    #expect(problem == nil)
    let frames = found.threads[0].frames
    #expect(frames.map(\.function) == ["inner", "outer", "outer"], "\(frames)")
    #expect(frames.map(\.line) == [1, 3, 3] && frames.map(\.isInlined) == [true, false, false])
    #expect(frames.allSatisfy { $0.file.hasSuffix("/player.c") && $0.image == "Player" })
    #expect(found.images.map(\.hasSymbols) == [true])
    withExtendedLifetime(program) {}
  }
}
