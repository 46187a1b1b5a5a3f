#if os(Linux)
  import Foundation
  import Glibc
  import TernChildProcess
  import TernCrash

  @testable import Tern

  /// A run of `CrashProbe`, which is built next to the test program, and what it left.
  struct CrashedProcess {
    let exit: ChildProcess.Exit
    let output: String

    static var program: String {
      let directory = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        .deletingLastPathComponent()
      return (directory ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent())
        .appendingPathComponent("CrashProbe").path
    }

    /// True if the tests, and so the probe, have the thread sanitizer: its own functions then hide frames of the probe,
    /// and neither a stack overflow nor Swift's backtracer gets through it.
    static let isSanitized = dlsym(nil, "__tsan_init") != nil

    /// The thread sanitizer, if the probe has it, must leave crashes to the handlers under test.
    private static func environment(_ backtrace: String) -> [String: String] {
      let signals = ["segv", "sigbus", "sigill", "sigfpe", "abort", "sigtrap"]
      return [
        "SWIFT_BACKTRACE": backtrace,
        "TSAN_OPTIONS": signals.map { "handle_\($0)=0" }.joined(separator: ":"),
      ]
    }

    /// Runs the probe until it ends, without the runtime's own backtrace, which takes seconds.
    init(_ options: [String], in directory: URL, backtrace: String = "enable=no") async throws {
      let output = Pipe()
      let process = try ChildProcess(
        Self.program, ["--directory", directory.path] + options, environment: Self.environment(backtrace),
        output: output.fileHandleForWriting, error: output.fileHandleForWriting)
      try output.fileHandleForWriting.close()
      let reader = output.fileHandleForReading
      let text = Task.detached { String(decoding: reader.readDataToEndOfFile(), as: UTF8.self) }
      exit = await process.ended()
      self.output = await text.value
    }

    /// The session that the probe printed.
    var session: String? {
      output.split(separator: "\n").first { $0.hasPrefix("session ") }.map { String($0.dropFirst("session ".count)) }
    }
  }

  /// The reports in the directory of a client's queue.
  func crashReports(in directory: URL) -> [CaughtCrash] {
    CrashDirectory(inQueue: directory.path).reports(besides: nil).map(\.crash)
  }

  /// LLVM's or binutils' tool that finds the function of an address in a file.
  enum Symbolizer {
    private static let tools = [
      ("llvm-symbolizer", ["--no-inlines", "--no-demangle", "-e"]), ("addr2line", ["-f", "-e"]),
    ]

    static let path: (program: String, arguments: [String])? = tools.lazy.compactMap { name, arguments in
      (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }.map { ($0, arguments) }
    }.first

    /// Returns the mangled name of the function at an address in the file.
    static func function(at address: UInt64, of file: String) throws -> String {
      guard let path else { return "" }
      let output = Pipe()
      let process = try ChildProcess(
        path.program, path.arguments + [file, "0x" + String(address, radix: 16)], output: output.fileHandleForWriting)
      try output.fileHandleForWriting.close()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.wait()
      return text.split(separator: "\n").first.map(String.init) ?? ""
    }
  }
#endif
