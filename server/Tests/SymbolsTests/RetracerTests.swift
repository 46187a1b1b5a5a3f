import AppCatalog
import Foundation
import Ingest
import Testing
import Warehouse

@testable import Symbols

/// Stacks of Java and Kotlin in an app with mappings.
struct RetracerTests {
  private struct Home {
    let directory: TemporaryDirectory
    let catalog: Catalog
    let app: App

    init() throws {
      directory = try TemporaryDirectory()
      catalog = try Catalog(directory: directory.path)
      app = try catalog.createApp(name: "A")
    }

    func add(_ text: String, version: String = "1.2", build: String = "34") throws -> StoredSymbols {
      let path = try directory.write(Array(text.utf8), "mapping.txt")
      let stored = try SymbolStore(directory: directory.path, catalog: catalog).add(
        path: path, app: app.id, mapping: MappedBuild(version: version, build: build))
      return try #require(stored.first)
    }

    /// A symbolicator without any tool: mappings need none.
    var symbolicator: Symbolicator {
      Symbolicator(catalog: catalog, program: "/missing/tool", launcher: "/missing/tern")
    }
  }

  private static let trace = """
    d.a.a.c: no decoder
    \tat d.a.a.a.a(SourceFile:5)
    \tat d.a.a.a.onClick(SourceFile:1)
    \tat android.view.View.performClick(View.java:7448)
    Caused by: d.a.a.c: d.a.a.c: again
    \tat d.a.a.a.<init>(SourceFile:1)
    \t... 2 more
    """

  private func stack(_ raw: String, build: String = "1.2 (34)") -> ErrorStack {
    var stack = ErrorStack(raw: raw)
    (stack.appBuild, stack.type) = (build, "d.a.a.c")
    return stack
  }

  private func raw(_ trace: String) throws -> String {
    let text = String(decoding: try JSONEncoder().encode([trace]), as: UTF8.self).dropFirst().dropLast()
    return #"{"exception":{"type":"d.a.a.c","message":"no decoder","stackTrace":\#(text)}}"#
  }

  @Test func `a text has calls, inlined calls and types of the source`() async throws {
    let home = try Home()
    let facts = try home.add(MappingTests.sample).file
    #expect(facts.buildID == "1.2 (34)" && facts.isMapping && facts.hasLines && facts.image == "mapping.txt")
    let symbolicator = home.symbolicator
    for _ in 0..<2 {
      let (after, problem) = await symbolicator.symbolicated(stack(try raw(Self.trace)), app: home.app.id)
      #expect(problem == nil && after.type == "com.example.radio.PlayerError")
      #expect(
        after.lines == [
          "  com.example.radio.PlayerError: no decoder",
          "  com.example.radio.Decoder.decode (Codecs.kt:88) [inlined]",
          "  com.example.radio.Player.play (Player.kt:25)", "  com.example.radio.Player.onClick (Player.kt:50)",
          "  at android.view.View.performClick(View.java:7448)",
          "  Caused by: com.example.radio.PlayerError: d.a.a.c: again",
          "  com.example.radio.Player.<init> (Player.kt:14)", "  ... 2 more",
        ])
    }
  }

  @Test func `frames of App Center's and Tern's protocols have calls and types of the source`() async throws {
    let home = try Home()
    _ = try home.add(MappingTests.sample)
    let raw = #"""
      {"type":"managedError","exception":{"type":"d.a.a.c","message":"no","frames":[
      {"className":"d.a.a.a","methodName":"a","lineNumber":2,"fileName":"SourceFile"},
      {"className":"d.a.a.a","methodName":"onClick","lineNumber":-1},
      {"className":"android.view.View","methodName":"performClick","lineNumber":7448,"fileName":"View.java"}],
      "innerExceptions":[{"type":"d.a.a.c","message":"why","frames":[
      {"className":"d.a.a.a","methodName":"c","lineNumber":9}]}]}}
      """#
    let (after, problem) = await home.symbolicator.symbolicated(stack(raw), app: home.app.id)
    #expect(problem == nil)
    #expect(
      after.lines == [
        "  com.example.radio.Player.play (Player.kt:22)", "  com.example.radio.Player.onClick (Player.kt)",
        "  android.view.View.performClick (View.java:7448)", "Caused by: com.example.radio.PlayerError: why:",
        "  com.example.radio.Player.pause (Player.kt:31)",
      ])
  }

  @Test func `a mapping counts for its version and build only`() async throws {
    let home = try Home()
    _ = try home.add(MappingTests.sample)
    let symbolicator = home.symbolicator
    for build in ["", "1.2 (35)", "1.3 (34)", "1.2"] {
      let before = stack(try raw(Self.trace), build: build)
      #expect(await symbolicator.symbolicated(before, app: home.app.id).stack == before)
    }
    let other = try home.catalog.createApp(name: "B")
    let before = stack(try raw(Self.trace))
    #expect(await symbolicator.symbolicated(before, app: other.id).stack == before)
    // Another mapping of the build replaces it at once.
    #expect(try home.add("a.Other -> d.a.a.a:\n    1:9:void other():1:9 -> a\n").addition == .replaced)
    let (after, _) = await symbolicator.symbolicated(before, app: home.app.id)
    #expect(after.lines[1] == "  a.Other.other (Other.java:5)")
  }

  @Test func `a mapping that is gone is said`() async throws {
    let home = try Home()
    let file = try home.add(MappingTests.sample).file
    try FileManager.default.removeItem(atPath: home.catalog.symbolPath(hash: file.hash))
    let before = stack(try raw(Self.trace))
    let (after, problem) = await home.symbolicator.symbolicated(before, app: home.app.id)
    #expect(after == before && problem?.contains("1.2 (34)") == true)
  }

  @Test func `what can't be stored as a mapping leaves nothing behind`() throws {
    let home = try Home()
    #expect(throws: ObjectError.notMapping) { try home.add("text") }
    #expect(throws: WarehouseError.self) { try home.add(MappingTests.sample, build: "") }
    #expect(throws: WarehouseError.self) { try home.add(MappingTests.sample, version: "") }
    let path = "\(home.directory.path)/large"
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    try #require(truncate(path, off_t(SymbolStore.maximumMappingBytes + 1)) == 0)
    let store = SymbolStore(directory: home.directory.path, catalog: home.catalog)
    #expect {
      try store.add(path: path, app: home.app.id, mapping: MappedBuild(version: "1", build: "2"))
    } throws: {
      ($0 as? WarehouseError)?.message.contains("256 MiB") == true
    }
    #expect(try home.catalog.symbols(app: home.app.id).isEmpty)
    let left = try FileManager.default.contentsOfDirectory(atPath: "\(home.directory.path)/symbols")
    #expect(left.isEmpty)
  }
}
