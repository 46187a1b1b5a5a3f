import AppCatalog
import Foundation
import Ingest
import TernBase
import TernChildProcess
import TernEvents
import Testing
import Warehouse

@testable import Symbols

/// The tests start `tern`, which is built next to them, as the launcher of the sandbox.
struct SymbolicatorTests {
  static var tern: String {
    let directory = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
      .deletingLastPathComponent()
    return (directory ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent())
      .appendingPathComponent("tern").path
  }

  private struct Home {
    let directory: TemporaryDirectory
    let catalog: Catalog
    let app: App

    init() throws {
      directory = try TemporaryDirectory()
      catalog = try Catalog(directory: directory.path)
      app = try catalog.createApp(name: "A")
    }

    func add(_ path: String) throws -> SymbolFile {
      let store = SymbolStore(directory: directory.path, catalog: catalog)
      return try #require(try store.add(path: path, app: app.id).first).file
    }

    func symbolicator(
      program: String = "llvm-symbolizer", launcher: String = SymbolicatorTests.tern, patience: Duration = .seconds(10)
    ) -> Symbolicator {
      Symbolicator(catalog: catalog, program: program, launcher: launcher, patience: patience)
    }
  }

  private func stack(_ buildID: String, _ offsets: UInt64..., isReturnAddress: Bool = false) -> ErrorStack {
    var stack = ErrorStack()
    stack.threads = [
      ErrorStack.Thread(
        name: "", isCrashed: true,
        frames: offsets.map { offset in
          var frame = ErrorStack.Frame()
          (frame.image, frame.buildID, frame.offset) = ("sample", buildID, offset)
          frame.isReturnAddress = isReturnAddress
          return frame
        })
    ]
    return stack
  }

  @Test func `a position becomes its function and line, with the functions that are inlined there`() async throws {
    let home = try Home()
    let program = try SampleProgram()
    let file = try home.add(program.path)
    let outer = try program.address(of: "outer")
    let before = stack(file.buildID, outer, 1)
    let (after, problem) = await home.symbolicator().symbolicated(before, app: home.app.id)
    #expect(problem == nil)
    let frames = after.threads[0].frames
    #expect(frames.map(\.function).prefix(2) == ["inner", "outer"], "\(frames)")
    #expect(frames.map(\.isInlined).prefix(2) == [true, false])
    #expect(frames[0].line == 2 && frames[1].line == 5 && frames[0].file.hasSuffix("/sample.c"))
    #expect(after.lines[0].hasPrefix("  inner (") && after.lines[0].hasSuffix("sample.c:2) in sample [inlined]"))
    // Symbols of another app don't count.
    let other = try home.catalog.createApp(name: "B")
    #expect(await home.symbolicator().symbolicated(before, app: other.id).stack == before)
  }

  @Test func `a position outside of the code has no function`() async throws {
    let home = try Home()
    // A symbol without a size, as assembly has, reaches up to any address.
    let program = try SampleProgram(
      "__asm__(\".globl last\\n.section .text.last,\\\"ax\\\"\\nlast: nop\\n\");\nint main(void) { return 0; }\n")
    let file = try home.add(program.path)
    let last = try program.address(of: "last")
    let (after, problem) = await home.symbolicator().symbolicated(
      stack(file.buildID, last, last + 0x10_0000, .max), app: home.app.id)
    #expect(problem == nil && after.threads[0].frames.map(\.function) == ["last", "", ""])
  }

  @Test func `a return address counts as the call before it`() async throws {
    let home = try Home()
    let program = try SampleProgram(
      "void stop(void);\nint main(void) {\n  stop();\n  return 1;\n}\nvoid stop(void) {\n}\n")
    let file = try home.add(program.path)
    let start = try program.address(of: "main")
    let symbolicator = home.symbolicator()
    var lines: [Bool: Set<Int>] = [:]
    for isReturnAddress in [false, true] {
      for offset in 0..<16 {
        let stack = stack(file.buildID, start + UInt64(offset), isReturnAddress: isReturnAddress)
        let frame = await symbolicator.symbolicated(stack, app: home.app.id).stack.threads[0].frames[0]
        if frame.function == "main" { lines[isReturnAddress, default: []].insert(offset * 100 + frame.line) }
      }
    }
    let shifted = Set(try #require(lines[false]).filter { $0 < 1_500 }.map { $0 + 100 })
    #expect(shifted.isSubset(of: try #require(lines[true])))
  }

  @Test func `names of Swift and C++ are readable`() async throws {
    let home = try Home()
    let directory = try TemporaryDirectory()
    let swift = try directory.write(
      Array(
        "struct Player {\n  @inline(never) func play(at speed: Int) -> Int { speed &+ 1 }\n}\nprint(Player().play(at: 3))\n"
          .utf8),
      "main.swift")
    try directory.run(
      "swiftc", ["-g", "-Xlinker", "--build-id", "-module-name", "sample", "-o", "\(directory.path)/s", swift])
    let file = try home.add("\(directory.path)/s")
    let names = try directory.run("nm", ["\(directory.path)/s"]).split(separator: "\n")
    let line = try #require(names.first { $0.contains("6PlayerV4play") && !$0.contains("TW") })
    let address = try #require(UInt64(line.prefix { $0 != " " }, radix: 16))
    let frames = await home.symbolicator().symbolicated(stack(file.buildID, address), app: home.app.id).stack.threads[0]
      .frames
    #expect(frames.last?.function.contains("sample.Player.play(at: Swift.Int) -> Swift.Int") == true, "\(frames)")
    #expect(frames.last?.line == 2)

    let code = try directory.write(
      Array("namespace a { int f(int x) { return x + 1; } }\nint main() { return a::f(1); }".utf8), "c.cpp")
    try directory.run("clang", ["-g", "-x", "c++", "-Wl,--build-id", "-o", "\(directory.path)/c", code])
    let other = try home.add("\(directory.path)/c")
    let symbol = try #require(
      try directory.run("nm", ["\(directory.path)/c"]).split(separator: "\n").first { $0.hasSuffix("_ZN1a1fEi") })
    let place = try #require(UInt64(symbol.prefix { $0 != " " }, radix: 16))
    let readable = await home.symbolicator().symbolicated(stack(other.buildID, place), app: home.app.id).stack
    #expect(readable.threads[0].frames.map(\.function) == ["a::f(int)"])
  }

  @Test func `without the tool the stack stays, and the page says what to install`() async throws {
    let home = try Home()
    let program = try SampleProgram()
    let file = try home.add(program.path)
    let before = stack(file.buildID, 1)
    let reasons = Locked<[String]>([])
    let symbolicator = Symbolicator(
      catalog: home.catalog, program: "/missing/llvm-symbolizer", launcher: Self.tern,
      report: { reason in reasons.withLock { $0.append(reason) } })
    for _ in 0..<2 {
      let (after, problem) = await symbolicator.symbolicated(before, app: home.app.id)
      #expect(after == before && problem?.contains("llvm") == true)
      #expect(reasons.withLock { $0 } == [problem])
    }
    withExtendedLifetime(program) {}
  }

  /// A symbolizer that reads a file whose UUID begins with 0 forever, and knows `found` at every address of others.
  private static let slowTool = #"""
    #include <fcntl.h>
    #include <stdio.h>
    #include <string.h>
    #include <unistd.h>
    int main(int count, char **arguments) {
      char head[64] = {0}, line[64];
      volatile char *first = head + 40;
      int file = open(strchr(arguments[1], '=') + 1, O_RDONLY);
      if (read(file, head, sizeof head) < 64) return 1;
      while (*first == 0) {}
      const char *answer = "{\"Address\":\"%s\",\"Symbol\":[{\"FunctionName\":\"found\",\"StartAddress\":\"%s\"}]}\n";
      while (scanf("%63s", line) == 1) printf(answer, line, line);
      return 0;
    }
    """#

  @Test func `a file that had only the rest of the time is tried again at the next look`() async throws {
    let home = try Home()
    let tool = try SampleProgram(Self.slowTool)
    var stack = ErrorStack()
    for (name, digit) in [("slow", UInt8(0)), ("quick", 0x22)] {
      let bytes = MachOSample.thin(cpu: 0x0100_000C, uuid: [UInt8](repeating: digit, count: 16))
      let file = try home.add(try home.directory.write(bytes, name))
      stack.threads += self.stack(file.buildID, 8).threads
    }
    // The slow file is the first, by its identifier.
    let symbolicator = home.symbolicator(program: tool.path, patience: .seconds(8))
    let (first, problem) = await symbolicator.symbolicated(stack, app: home.app.id)
    #expect(first.threads.map { $0.frames[0].function } == ["", ""] && problem?.contains("(2222") == true)
    #expect(problem?.contains("no time left") == true)
    let (second, remaining) = await symbolicator.symbolicated(stack, app: home.app.id)
    #expect(second.threads.map { $0.frames[0].function } == ["", "found"])
    #expect(remaining?.contains("(0000") == true && remaining?.contains("in 10 minutes") == true)
  }

  @Test func `a tool that isn't a symbolizer, or doesn't answer, isn't taken for positions without functions`()
    async throws
  {
    let home = try Home()
    let program = try SampleProgram()
    let file = try home.add(program.path)
    let stack = stack(file.buildID, try program.address(of: "outer"))
    let answer = #"int main(void) { puts("{\"Address\":\"0x1\",\"Error\":{\"Message\":\"x\"}}"); return 0; }"#
    let silent = try SampleProgram("int main(void) { return 1; }")
    let error = try SampleProgram("#include <stdio.h>\n" + answer)
    for (tool, reason) in [
      ("/usr/bin/true", "no answer for 1 position"), (error.path, "no answer for 1 position"),
      (silent.path, "without output"),
    ] {
      let symbolicator = home.symbolicator(program: tool)
      // The second look doesn't find an answer that was remembered.
      for _ in 0..<2 {
        let (after, problem) = await symbolicator.symbolicated(stack, app: home.app.id)
        #expect(!after.hasSymbols && problem?.contains(reason) == true, "\(tool): \(problem ?? "")")
        #expect(problem?.contains("setting symbolizer") == true)
      }
    }
  }

  @Test func `names for which there was no time are demangled at the next look`() async throws {
    let home = try Home()
    let file = try home.add(
      try home.directory.write(MachOSample.thin(cpu: 0x0100_000C, uuid: [UInt8](repeating: 1, count: 16)), "sample"))
    // Finds a name at every address, and demangles it once the file `ready` exists.
    let launcher = try home.directory.write(
      Array(
        #"""
        #!/bin/sh
        if [ $# -gt 1 ]; then
          while read -r address; do
            echo "{\"Address\":\"$address\",\"Symbol\":[{\"FunctionName\":\"\$s4main3fooyyF\",\"StartAddress\":\"$address\"}]}"
          done
          exit
        fi
        [ -e "${0%/*}/ready" ] || exec sleep 600
        echo "main.foo() -> ()"

        """#.utf8), "launcher")
    try #require(chmod(launcher, 0o700) == 0)
    let symbolicator = home.symbolicator(program: "/bin/true", launcher: launcher, patience: .seconds(2))
    let stack = stack(file.buildID, 8)
    let (first, problem) = await symbolicator.symbolicated(stack, app: home.app.id)
    #expect(first.threads[0].frames.map(\.function) == ["$s4main3fooyyF"])
    #expect(problem?.contains("no time left") == true)
    _ = try home.directory.write([], "ready")
    let (second, remaining) = await symbolicator.symbolicated(stack, app: home.app.id)
    #expect(second.threads[0].frames.map(\.function) == ["main.foo() -> ()"] && remaining == nil)
  }

  @Test(.timeLimit(.minutes(10))) func `a damaged file harms nothing, and costs only its own frames`() async throws {
    let home = try Home()
    let program = try SampleProgram()
    let good = try home.add(program.path)
    var generator = FastGenerator.seeded()
    let symbolicator = home.symbolicator()
    var accepted = 0
    for round in 0..<25 {
      var bytes = program.bytes
      for _ in 0..<(1 << (round % 12)) {
        bytes[Int.random(in: 64..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      let path = try program.directory.write(bytes, "damaged-\(round)")
      let store = SymbolStore(directory: home.directory.path, catalog: home.catalog)
      for added in (try? store.add(path: path, app: home.app.id)) ?? [] {
        accepted += 1
        _ = await symbolicator.symbolicated(
          stack(added.file.buildID, try program.address(of: "outer")), app: home.app.id)
      }
    }
    #expect(accepted > 0)
    _ = try home.add(program.path)
    let (stack, _) = await symbolicator.symbolicated(
      stack(good.buildID, try program.address(of: "outer")), app: home.app.id)
    #expect(stack.threads[0].frames.first?.function == "inner")
  }
}
