import AppCatalog
import Foundation
import Ingest
import Testing
import Warehouse

@testable import Symbols

/// Forms of debug information that `llvm-symbolizer` can't read, or only in part.
struct DebugInformationTests {
  private struct Home {
    let directory = try? TemporaryDirectory()
    let catalog: Catalog
    let app: AppID

    init() throws {
      catalog = try Catalog(directory: try #require(directory).path)
      app = try catalog.createApp(name: "A").id
    }

    func add(_ path: String) throws -> StoredSymbols {
      let store = SymbolStore(directory: try #require(directory).path, catalog: catalog)
      return try #require(try store.add(path: path, app: app).first)
    }

    /// Looks up a position of a build.
    func lines(of file: SymbolFile, at address: UInt64) async -> [String] {
      var frame = ErrorStack.Frame()
      (frame.buildID, frame.offset) = (file.buildID, address)
      var stack = ErrorStack()
      stack.threads = [ErrorStack.Thread(name: "", frames: [frame])]
      let symbolicator = Symbolicator(
        catalog: catalog, program: "llvm-symbolizer", launcher: SymbolicatorTests.tern)
      let (found, problem) = await symbolicator.symbolicated(stack, app: app)
      #expect(problem == nil)
      return found.threads[0].frames.map { frame in
        var frame = frame
        frame.file = frame.file.split(separator: "/").last.map(String.init) ?? ""
        return frame.shownText
      }
    }
  }

  @Test func `compressed debug information is taken only in the form that all tools read`() throws {
    let home = try Home()
    let program = try SampleProgram()
    let output = "\(program.directory.path)/compressed"
    for (form, isReadable) in [("zlib", true), ("zlib-gnu", false), ("zstd", false)] {
      // Binutils before 2.40 don't write zstd.
      guard (try? program.directory.run("objcopy", ["--compress-debug-sections=\(form)", program.path, output])) != nil
      else { continue }
      if isReadable {
        let stored = try home.add(output)
        #expect(stored.file.hasLines && stored.warning == nil)
      } else {
        #expect(throws: ObjectError.unreadable) { try home.add(output) }
      }
    }
    // What can't be read has replaced nothing.
    #expect(try home.catalog.symbols(app: home.app).map(\.hasLines) == [true])
  }

  private static let splitForms = ["clang", "gcc"].filter(TemporaryDirectory.hasTool).flatMap { compiler in
    ["-gdwarf-4", "-gdwarf-5"].flatMap { version in ["-gz=none", "-gz=zlib"].map { [compiler, version, $0] } }
  }

  @Test(.enabled(if: TemporaryDirectory.hasTool("llvm-symbolizer")), arguments: splitForms)
  func `a program with split debug information has functions, and no lines of others`(form: [String]) async throws {
    let home = try Home()
    let program = try SampleProgram()
    let path = "\(program.directory.path)/split"
    try program.directory.run(
      form[0],
      form.dropFirst() + ["-gsplit-dwarf", "-O1", "-Wl,--build-id", "-o", path, "\(program.directory.path)/sample.c"])
    let split = try home.add(path)
    #expect(!split.file.hasLines && split.warning?.contains("-gno-split-dwarf") == true)
    let symbol = try #require(
      try program.directory.run("nm", [path]).split(separator: "\n").first { $0.hasSuffix(" outer") })
    let address = try #require(UInt64(symbol.prefix { $0 != " " }, radix: 16))
    #expect(await home.lines(of: split.file, at: address) == ["outer"])
    for part in try FileManager.default.contentsOfDirectory(atPath: program.directory.path)
    where part.hasSuffix(".dwo") {
      #expect(throws: ObjectError.splitPart) { try home.add("\(program.directory.path)/\(part)") }
    }
    #expect(try home.add(program.path).warning == nil)
  }

  @Test(.enabled(if: ["llvm-symbolizer", "dwz"].allSatisfy(TemporaryDirectory.hasTool)))
  func `a line without its name, which dwz has moved away, stays in the stack`() async throws {
    let home = try Home()
    let directory = try TemporaryDirectory()
    for name in ["a", "b"] {
      let source = SampleProgram.source.replacing("inner", with: "inner_function_with_a_long_name")
        .replacing("count", with: "count_of_\(name)")
      let code = try directory.write(Array(source.utf8), "\(name).c")
      try directory.run("clang", ["-g", "-gdwarf-4", "-O1", "-Wl,--build-id", "-o", "\(directory.path)/\(name)", code])
    }
    try directory.run("dwz", ["-m"] + ["common", "a", "b"].map { "\(directory.path)/\($0)" })
    let stored = try home.add("\(directory.path)/a")
    #expect(stored.warning?.contains("dwz") == true)
    let symbol = try #require(
      try directory.run("nm", ["\(directory.path)/a"]).split(separator: "\n").first { $0.hasSuffix(" outer") })
    let address = try #require(UInt64(symbol.prefix { $0 != " " }, radix: 16))
    #expect(await home.lines(of: stored.file, at: address) == ["? (a.c:2) [inlined]", "outer (a.c:5)"])
  }
}
