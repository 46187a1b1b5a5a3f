import Foundation
import TernChildProcess
import Testing

/// A temporary directory and the built programs: `tern` next to the tests, and the examples built by `Scripts/test`.
final class Workspace {
  let directory: URL
  let tern: URL
  let player: URL
  let appCenterSample: URL
  let googleAnalyticsSample: URL
  private var children: [ChildProcess] = []

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "tern-end-to-end-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let products = try #require(Self.productsDirectory(), "cannot find the directory of the built products")
    tern = products.appending(path: "tern")
    let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    let folder = ProcessInfo.processInfo.environment["TERN_EXAMPLES"]
    let examples = folder.map { URL(filePath: $0) } ?? repository.appending(path: "Examples/.build/debug")
    player = examples.appending(path: "demo-player")
    appCenterSample = examples.appending(path: "appcenter-sample")
    googleAnalyticsSample = examples.appending(path: "google-analytics-sample")
    for example in [player, appCenterSample, googleAnalyticsSample] {
      try #require(
        FileManager.default.isExecutableFile(atPath: example.path),
        "build the examples first: swift build --package-path Examples (or run Scripts/test)")
    }
  }

  deinit {
    for child in children { child.kill() }
    try? FileManager.default.removeItem(at: directory)
  }

  func path(_ name: String) -> String { directory.appending(path: name).path }

  /// Starts a program without waiting for it; its output goes to a file, and it reads from the pipe if there is one.
  func start(
    _ executable: URL, _ arguments: [String], environment: [String: String] = [:], input: Pipe? = nil, output: String
  ) throws -> ChildProcess {
    let file = try newFile(output)
    let process = try ChildProcess(
      executable.path, arguments, environment: environment, input: input?.fileHandleForReading, output: file,
      error: file)
    try input?.fileHandleForReading.close()
    children.append(process)
    return process
  }

  /// Runs `tern` to its end.
  @discardableResult
  func run(_ arguments: [String]) throws -> (status: Int32, output: String, error: String) {
    let name = UUID().uuidString
    // Files rather than pipes: a pipe that is not read in the meantime could fill up.
    let process = try ChildProcess(
      tern.path, arguments, output: try newFile("\(name).out"), error: try newFile("\(name).err"))
    guard case .code(let status) = process.wait() else { return (-1, text("\(name).out"), text("\(name).err")) }
    return (status, text("\(name).out"), text("\(name).err"))
  }

  private func newFile(_ name: String) throws -> FileHandle {
    try Data().write(to: URL(filePath: path(name)))
    return try FileHandle(forWritingTo: URL(filePath: path(name)))
  }

  func text(_ name: String) -> String {
    (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? ""
  }

  /// A report as JSON, through the command line.
  func report(_ name: String, app: String, _ more: [String] = []) throws -> [String: Any] {
    let (status, output, error) = try run(
      ["report", name, "--app", app, "--data", path("data"), "--format", "json"] + more)
    try #require(status == 0, "tern report \(name): \(error)")
    return try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
  }

  private static func productsDirectory() -> URL? {
    // The test bundle is next to the executables in every configuration.
    let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let bundles = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
    let candidates = [program.deletingLastPathComponent()] + bundles
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0.appending(path: "tern").path) }
  }
}

/// Waits until a condition holds. In real time: a test cannot set the clock of other processes.
func eventually(within limit: Duration = .seconds(60), _ condition: () throws -> Bool) async throws -> Bool {
  let clock = ContinuousClock()
  let deadline = clock.now + limit
  while true {
    if try condition() { return true }
    if clock.now > deadline { return false }
    try await clock.sleep(for: .milliseconds(50))
  }
}
