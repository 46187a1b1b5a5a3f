import Foundation
import TernEvents

/// A run of one target: each file of its corpus, and after each the inputs that are made of it.
struct Replay: Codable {
  let target: String
  /// The directory of warehouses: in memory where that is possible, because they wait for their disk.
  private let warehouses: String

  /// The seed of all inputs that are made. It is fixed, because a test that fails by chance is blamed on the wrong change.
  private static let seed: UInt64 = 1
  /// As `Scripts/fuzz` limits a run.
  private static let (longest, seconds, memory) = (2_048, UInt32(60), rlim_t(4 << 30))

  /// The root of the repository.
  private static let root: String = {
    var folder = URL(filePath: #filePath)
    repeat {
      folder.deleteLastPathComponent()
    } while !FileManager.default.fileExists(atPath: "\(folder.path)/Fuzz/Corpus")
    return folder.path
  }()
  private var corpus: String { "\(Self.root)/Fuzz/Corpus/\(target)" }
  /// Where a run that does not end leaves what it said, its last input, and the inputs that shared a warehouse.
  private var findings: String { ".build/fuzz/\(target)/replay" }
  private var folder: String { "\(Self.root)/\(findings)" }

  init(target: String) {
    self.target = target
    let memory = "/dev/shm"
    let parent = FileManager.default.fileExists(atPath: memory) ? memory : FileManager.default.temporaryDirectory.path
    warehouses = "\(parent)/tern-replay-\(UUID().uuidString)"
  }

  func prepare() throws {
    let files = FileManager.default
    try? files.removeItem(atPath: folder)
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  func removeWarehouses() { try? FileManager.default.removeItem(atPath: warehouses) }

  /// A description of the input that ended the process.
  var finding: String {
    let log = (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? ""
    let lines = log.split(separator: "\n")
    let place = lines.last { $0.hasPrefix("reading ") } ?? "before the first input"
    let reasons = lines.filter { $0.contains("Fatal error") || $0.contains("Precondition failed") }
    // Inputs that shared a warehouse, any of which may be the one.
    let isShared = FileManager.default.fileExists(atPath: "\(folder)/shared")
    return """
      The target \(target) stopped \(place). \(reasons.joined(separator: " ")) Show it with: \
      Scripts/fuzz \(target) \(findings)/\(isShared ? "shared/*" : "input")
      """
  }

  /// Runs the target. Ends the process in the ways in which the fuzzer does.
  @MainActor func run() throws {
    guard let make = FuzzTarget.all.first(where: { $0.key == target })?.value else { fatalError("no target \(target)") }
    // The message that Swift prints before a trap.
    dup2(open("\(folder)/log", O_WRONLY | O_CREAT | O_TRUNC, 0o644), STDERR_FILENO)
    setenv("TERN_FUZZ_RECORD", "\(folder)/shared", 1)
    setenv("TERN_FUZZ_DIRECTORY", warehouses, 1)
    limitMemory()
    let last = open("\(folder)/input", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    let code = make()
    let files = try FileManager.default.contentsOfDirectory(atPath: corpus).sorted()
    precondition(!files.isEmpty, "no corpus")
    for (index, file) in files.enumerated() {
      let input = [UInt8](try Data(contentsOf: URL(filePath: "\(corpus)/\(file)")))
      say("reading \(file)")
      run(code, input, last)
      say("reading an input made of \(file), with the seed \(Self.seed)")
      var generator = FastGenerator(seed: Self.seed << 32 | UInt64(index))
      for _ in 0..<code.changes { run(code, changed(input, code, &generator), last) }
    }
    say("reading what the inputs have left in a warehouse")
    alarm(Self.seconds)
    code.finish()
    try FileManager.default.removeItem(atPath: folder)
  }

  private func run(_ code: FuzzTarget, _ input: [UInt8], _ last: Int32) {
    alarm(Self.seconds)
    input.withUnsafeBytes { bytes in
      ftruncate(last, 0)
      pwrite(last, bytes.baseAddress, bytes.count, 0)
      // Without an address, as a server may get an empty body.
      code.run(bytes.isEmpty ? UnsafeRawBufferPointer(start: nil, count: 0) : bytes)
    }
  }

  /// The input after one to four changes.
  private func changed(_ input: [UInt8], _ code: FuzzTarget, _ generator: inout FastGenerator) -> [UInt8] {
    var size = input.count
    var bytes = input + [UInt8](repeating: 0, count: max(Self.longest - size, 0))
    bytes.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return }
      for _ in 0...Int.random(in: 0..<4, using: &generator) {
        let seed = UInt32.random(in: 0...(.max), using: &generator)
        size = (code.mutate ?? FuzzTarget.changeBytes)(start, size, buffer.count, seed)
      }
    }
    return Array(bytes.prefix(size))
  }

  private func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

  private func limitMemory() {
    #if os(Linux)
      var limit = rlimit(rlim_cur: Self.memory, rlim_max: Self.memory)
      setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    #endif
  }
}
