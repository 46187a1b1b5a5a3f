import Foundation
package import Ingest
import TernBase
import Threads
package import Warehouse

/// Finds functions and lines for stacks, in the files of an app with symbols.
///
/// Symbols are read when someone looks at a stack, and when an error is put into its group.
package final class Symbolicator: StackSymbolicator {
  /// The time after which a file that could not be read is tried again.
  private static let failureLifetime = Duration.seconds(600)
  /// The most positions in one file that are looked up for a stack: more don't fit into the input of the tool.
  private static let maximumAddresses = 2_000
  /// The name of the launcher's hidden command.
  package static let commandName = "run-sandboxed"

  /// The time for the files of one stack.
  private let patience: Duration
  private let catalog: any SymbolCatalog
  private let process: SymbolizerProcess
  /// The path of `llvm-symbolizer`; `nil` if it isn't installed.
  private let program: String?
  private let cache = ResolvedFrameCache(maximumBytes: 16 << 20)
  private let retracer: Retracer
  /// The files that could not be read, with the reason and the time.
  private let failures = Locked<[String: (reason: SymbolizerProcess.Failure, time: ContinuousClock.Instant)]>([:])
  /// The reasons why no file can be read that `report` knows.
  private let reported = Locked<Set<String>>([])
  private let report: @Sendable (String) -> Void
  /// One tool at a time: it may take a gigabyte.
  private let threads: ThreadPool<AppID>

  /// - Parameters:
  ///   - catalog: The files with symbols.
  ///   - program: The path of `llvm-symbolizer`, or its name in `PATH`.
  ///   - launcher: The program `tern`, which becomes the tools.
  ///   - patience: The time for the files of one stack.
  ///   - report: Called once with each reason why no file can be read.
  package init(
    catalog: any SymbolCatalog, program: String, launcher: String, patience: Duration = .seconds(10),
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.patience = patience
    self.report = report
    self.catalog = catalog
    retracer = Retracer(cache: cache)
    self.program = Self.find(program)
    process = SymbolizerProcess(launcher: launcher)
    threads = ThreadPool(
      .symbols, limits: FairQueueLimits(running: 1, waiting: 64, waitingPerOwner: 16))
  }

  deinit { threads.close() }

  /// Returns an absolute path of an executable program.
  private static func find(_ program: String) -> String? {
    let folders =
      program.contains("/")
      ? [""]
      : (ProcessInfo.processInfo.environment["PATH"] ?? "").split(
        separator: ":"
      ).map { "\($0)/" }
    return folders.map { $0 + program }.first { $0.hasPrefix("/") && FileManager.default.isExecutableFile(atPath: $0) }
  }

  package func builds(withSymbols builds: Set<String>, app: AppID) throws -> Set<String> {
    Set(try catalog.symbols(app: app, buildIDs: builds).map(\.buildID))
  }

  package func symbolicated(_ stack: ErrorStack, app: AppID) async -> (stack: ErrorStack, problem: String?) {
    let named = stack.threads.flatMap { $0.frames.map(\.buildID) } + stack.images.map(\.buildID) + [stack.appBuild]
    let builds = Set(named).subtracting([""])
    guard !builds.isEmpty else { return (stack, nil) }
    do {
      let files = try catalog.symbols(app: app, buildIDs: builds)
      guard !files.isEmpty else { return (stack, nil) }
      let byBuild = Dictionary(files.map { ($0.buildID, $0) }) { first, _ in first }
      let wanted = Self.addresses(of: stack, in: byBuild)
      let mapping = byBuild[stack.appBuild].flatMap { $0.isMapping ? $0 : nil }
      let names = mapping == nil ? [] : Retracer.names(in: stack)
      // Most looks at a stack are not the first.
      let knownNames: Retracer.Names? = if let mapping { retracer.known(names, in: mapping) } else { [:] }
      if let known = known(wanted), let knownNames {
        return (Self.applied(known, knownNames, to: stack, byBuild), nil)
      }
      let lacksProgram = program == nil && !wanted.isEmpty
      if lacksProgram { reportOnce(Self.noProgram) }
      if lacksProgram, mapping == nil { return (stack, Self.noProgram) }
      return try await threads.run(for: [app]) { [self] in
        var (retraced, unread) = (knownNames ?? [:], String?.none)
        if let mapping, knownNames == nil { (retraced, unread) = retrace(names, in: mapping) }
        let (found, problem) = lacksProgram ? ([:], Self.noProgram) : resolve(wanted, program ?? "")
        return (Self.applied(found, retraced, to: stack, byBuild), problem ?? unread)
      }
    } catch is ThreadPoolRefusal {
      return (stack, "Too many stacks are waiting for their symbols. Load the page again.")
    } catch {
      return (stack, "The symbols can't be read: \(error)")
    }
  }

  private static let noProgram =
    "There are symbols, but no llvm-symbolizer to read them. Install it on the server (Debian's package llvm), or "
    + "name it with --symbolizer."

  /// Looks up names in a mapping, unless it could not be read within the last minutes. Blocks the thread.
  private func retrace(_ names: Set<RetracedName>, in mapping: SymbolFile) -> (found: Retracer.Names, problem: String?)
  {
    if let failure = recentFailure(of: mapping) { return ([:], Self.problem(failure, mapping)) }
    let path = catalog.symbolPath(hash: mapping.hash)
    let (found, problem) = retracer.look(names, in: mapping, path: path, until: .now + patience)
    if problem != nil { failures.withLock { $0[mapping.hash] = (.failed, .now) } }
    return (found, problem)
  }

  /// The positions whose functions a stack needs, by file.
  private typealias Wanted = [SymbolFile: Set<UInt64>]

  private static func addresses(of stack: ErrorStack, in files: [String: SymbolFile]) -> Wanted {
    var wanted: Wanted = [:]
    for frame in stack.threads.flatMap(\.frames) {
      guard let file = files[frame.buildID], let address = address(of: frame, in: file) else { continue }
      guard wanted[file, default: []].count < maximumAddresses else { continue }
      wanted[file, default: []].insert(address)
    }
    return wanted
  }

  /// The address in a file of the call that a frame is in.
  private static func address(of frame: ErrorStack.Frame, in file: SymbolFile) -> UInt64? {
    guard frame.function.isEmpty, !file.isMapping, let offset = frame.offset else { return nil }
    return file.textAddress &+ offset &- (frame.isReturnAddress ? 1 : 0)
  }

  private typealias Found = [ResolvedFrameCache.Key: [ResolvedFrame]]

  /// Returns what is known of all positions; `nil` if something isn't.
  private func known(_ wanted: Wanted) -> Found? {
    var found: Found = [:]
    for (file, addresses) in wanted {
      for address in addresses {
        let key = ResolvedFrameCache.Key(hash: file.hash, address: address)
        guard let frames = cache[key] else { return nil }
        found[key] = frames
      }
    }
    return found
  }

  /// Looks up positions. Blocks the thread.
  private func resolve(_ wanted: Wanted, _ program: String) -> (found: Found, problem: String?) {
    let deadline = ContinuousClock.now + patience
    var (found, problem): (Found, String?) = ([:], nil)
    var isFirst = true
    for (file, addresses) in wanted.sorted(by: { $0.key.buildID < $1.key.buildID }) {
      let keys = addresses.sorted().map { ResolvedFrameCache.Key(hash: file.hash, address: $0) }
      for key in keys { found[key] = cache[key] }
      guard keys.contains(where: { found[$0] == nil }) else { continue }
      let layout: CodeLayout
      do throws(ObjectError) {
        layout = try CodeLayout(
          path: catalog.symbolPath(hash: file.hash), addresses: keys.filter { found[$0] == nil }.map(\.address))
      } catch {
        // It was stored by a version that could not tell.
        problem = "The symbols of \(file.image) (\(file.buildID)) can't be used: \(error.message)"
        continue
      }
      // The tool would give the last function to all positions after it.
      if let code = layout.code {
        for key in keys where found[key] == nil && !code.contains(key.address) { (found[key], cache[key]) = ([], []) }
      }
      let missing = keys.filter { found[$0] == nil }.map(\.address)
      guard !missing.isEmpty else { continue }
      if let failure = recentFailure(of: file) {
        problem = Self.problem(failure, file)
        continue
      }
      // The later files have only what the first ones leave of the time: one that needs more may be fine.
      let hasAllTime = isFirst
      isFirst = false
      do throws(SymbolizerProcess.Failure) {
        let input = missing.map { "0x\(String($0, radix: 16))\n" }.joined()
        let output = try process.run(
          [Self.commandName, "--program", program, "--file", catalog.symbolPath(hash: file.hash)],
          input: Array(input.utf8), until: deadline)
        let decoded = SymbolizerOutput.decode(output, addresses: missing, layout)
        let (frames, isFinal) = demangled(decoded, until: deadline)
        if !isFinal { problem = Self.problem(.timedOut, file) }
        for (address, frames) in frames {
          let key = ResolvedFrameCache.Key(hash: file.hash, address: address)
          found[key] = frames
          if isFinal { cache[key] = frames }
        }
        // Not remembered: the next attempt may have an answer.
        if frames.count < missing.count { problem = Self.unanswered(missing.count - frames.count, file) }
      } catch {
        let failure = error == .timedOut && hasAllTime ? .failed : error
        problem = Self.problem(failure, file)
        if case .notStarted(let reason) = failure { reportOnce("The symbols can't be read: \(reason)") }
        guard failure == .failed || failure == .failedSilently else { continue }
        failures.withLock { $0[file.hash] = (failure, .now) }
      }
    }
    return (found, problem)
  }

  private func reportOnce(_ reason: String) {
    guard reported.withLock({ $0.count < 16 && $0.insert(reason).inserted }) else { return }
    report(reason)
  }

  /// Returns the reason if a file could not be read within the last minutes: others need not wait for another attempt.
  private func recentFailure(of file: SymbolFile) -> SymbolizerProcess.Failure? {
    failures.withLock { failures in
      failures = failures.filter { .now - $0.value.time < Self.failureLifetime }
      return failures[file.hash]?.reason
    }
  }

  private static func unanswered(_ count: Int, _ file: SymbolFile) -> String {
    "llvm-symbolizer has no answer for \(count) \(count == 1 ? "position" : "positions") in \(file.image) "
      + "(\(file.buildID)). Upload the file again if it is damaged, and check that the setting symbolizer names LLVM's program."
  }

  private static func problem(_ failure: SymbolizerProcess.Failure, _ file: SymbolFile) -> String {
    switch failure {
    case .notStarted(let reason): "The symbols can't be read: \(reason)"
    case .timedOut:
      "There was no time left to read the symbols of \(file.image) (\(file.buildID)). Load the page again."
    case .failedSilently:
      "The symbols of \(file.image) (\(file.buildID)) can't be read: llvm-symbolizer ended with an error and without output. "
        + "Check that the setting symbolizer names LLVM's program, or try again in 10 minutes."
    case .failed:
      "The symbols of \(file.image) (\(file.buildID)) can't be read: they are damaged, or reading them takes too long or too "
        + "much memory. Upload an undamaged file, or try again in 10 minutes."
    }
  }

  /// Demangles Swift's names; others are demangled by `llvm-symbolizer`. Names stay as they are if that fails.
  ///
  /// - Returns: The frames, and false if there was no time for their names, so that another attempt may have them.
  private func demangled(
    _ frames: [UInt64: [ResolvedFrame]], until deadline: ContinuousClock.Instant
  ) -> (frames: [UInt64: [ResolvedFrame]], isFinal: Bool) {
    let prefixes = ["$s", "_$s", "$S", "_$S", "$e", "_$e", "_T0"]
    let names = Set(frames.values.joined().map(\.function)).filter { name in prefixes.contains { name.hasPrefix($0) } }
    var input: [UInt8] = []
    var sent: [String] = []
    for name in names where input.count + name.utf8.count < SymbolizerProcess.maximumInputBytes {
      input += Array(name.utf8) + [UInt8(ascii: "\n")]
      sent.append(name)
    }
    guard !sent.isEmpty else { return (frames, true) }
    let output: [UInt8]
    do throws(SymbolizerProcess.Failure) {
      output = try process.run([Self.commandName], input: input, until: deadline)
    } catch {
      return (frames, error != .timedOut)
    }
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let readable = Dictionary(zip(sent, lines.map(String.init))) { first, _ in first }
    let named = frames.mapValues {
      $0.map { frame in
        var frame = frame
        frame.function = readable[frame.function].flatMap { $0.isEmpty ? nil : $0 } ?? frame.function
        return frame
      }
    }
    return (named, true)
  }

  private static func applied(
    _ found: Found, _ names: Retracer.Names, to stack: ErrorStack, _ files: [String: SymbolFile]
  ) -> ErrorStack {
    let stack = names.isEmpty ? stack : Retracer.applied(names, toTypesOf: stack)
    var expanded = StackExpansion { frame in
      if let name = names.isEmpty ? nil : Retracer.name(of: frame) {
        return name.method == nil ? [] : names[name] ?? []
      }
      guard let file = files[frame.buildID], let address = address(of: frame, in: file) else { return [] }
      return found[ResolvedFrameCache.Key(hash: file.hash, address: address)] ?? []
    }.applied(to: stack)
    for index in expanded.images.indices where files[expanded.images[index].buildID] != nil {
      expanded.images[index].hasSymbols = true
    }
    return expanded
  }
}
