#if os(Linux)
  import Foundation
  import Glibc
  import TernChildProcess
  import TernCrash
  import Testing

  @testable import Tern

  /// A run of `CrashProbe`, which is built next to the test program, and what it left.
  struct CrashedProcess {
    let exit: ChildProcess.Exit
    let output: String

    /// A build of the probe.
    enum Build: String, CaseIterable {
      case debug
      /// A release build, whose path is in the environment (`Scripts/test`).
      case optimized

      static let available = allCases.filter { $0.program != nil }

      var program: String? {
        switch self {
        case .optimized: return ProcessInfo.processInfo.environment["TERN_OPTIMIZED_CRASH_PROBE"]
        case .debug:
          let directory = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
            .deletingLastPathComponent()
          return (directory ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent())
            .appendingPathComponent("CrashProbe").path
        }
      }
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
    init(
      _ options: [String], of build: Build = .debug, in directory: URL, backtrace: String = "enable=no"
    ) async throws {
      let output = Pipe()
      let process = try ChildProcess(
        try #require(build.program), ["--directory", directory.path] + options,
        environment: Self.environment(backtrace),
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

  /// LLVM's or binutils' tool that finds the function and the line of an address in a file.
  enum Symbolizer {
    private static let tools = [
      ("llvm-symbolizer", ["--no-inlines", "--no-demangle", "-e"]), ("addr2line", ["-f", "-e"]),
    ]

    static let path: (program: String, arguments: [String])? = tools.lazy.compactMap { name, arguments in
      (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }.map { ($0, arguments) }
    }.first

    /// Returns the mangled name of the function, and the number of the line, 0 if unknown, at an address in the file.
    static func place(of address: UInt64, in file: String) throws -> (function: String, line: Int) {
      guard let path else { return ("", 0) }
      let output = Pipe()
      let process = try ChildProcess(
        path.program, path.arguments + [file, "0x" + String(address, radix: 16)], output: output.fileHandleForWriting)
      try output.fileHandleForWriting.close()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.wait()
      let lines = text.split(separator: "\n")
      let line = lines.dropFirst().first?.split(separator: ":").dropFirst().first.flatMap { Int($0) }
      return (lines.first.map(String.init) ?? "", line ?? 0)
    }
  }
#endif
