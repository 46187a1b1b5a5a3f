import Dispatch
import Foundation
import Reports
import Symbols
import TernBase
import TernServer
import Warehouse

/// The files of one `tern symbols upload`, with the counts of what became of them.
///
/// Stores as many files of a directory at the same time as there are processors, because copying and hashing take the time.
final class SymbolUploadRun: Sendable {
  /// The result of one file.
  private enum Outcome {
    case stored([StoredSymbols])
    case archive(StoredArchive)
    /// It has no symbols, which is no mistake in a directory.
    case none(ObjectError)
    /// It can't be stored.
    case invalid(WarehouseError)
  }

  private struct State {
    var counts: [SymbolFile.Addition: Int] = [:]
    var skipped = 0
    var done = 0
    var hasFailed = false
    var failure: (any Error)?
  }

  private let store: SymbolStore
  private let app: AppID
  private let mapping: MappedBuild?
  private let state = Locked(State())

  /// - Parameter mapping: The version and build if the file is their mapping.
  init(store: SymbolStore, app: AppID, mapping: MappedBuild? = nil) {
    (self.store, self.app, self.mapping) = (store, app, mapping)
  }

  var hasFailed: Bool { state.withLock { $0.hasFailed } }

  var summary: String {
    state.withLock { state in
      let parts = [(state.counts[.new], "new"), (state.counts[.replaced], "replaced"), (state.counts[.known], "known")]
        .map { "\($0 ?? 0) \($1)" }
      return (parts + ["\(state.skipped) skipped"]).joined(separator: ", ") + "."
    }
  }

  func add(_ path: String) throws {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw ServerFailure("\(path) doesn't exist.")
    }
    if isDirectory.boolValue, mapping != nil {
      throw ServerFailure("\(visible(path)) is a directory. Name the file mapping.txt in it.")
    }
    guard isDirectory.boolValue else {
      let outcome = try outcome(of: path, isNamed: true)
      return state.withLock { Self.note(outcome, path, isNamed: true, &$0) }
    }
    let before = state.withLock { $0.counts }
    try addFolder(path)
    let hasNone = state.withLock { state in
      state.hasFailed = state.hasFailed || state.counts == before
      return state.counts == before
    }
    if hasNone { Terminal.complain("tern: \(visible(path)) has no files with symbols.") }
  }

  private func addFolder(_ path: String) throws {
    // An enumerator doesn't follow links, and `.build/release` is one.
    let folder = URL(filePath: path).resolvingSymlinksInPath().path
    guard let files = FileManager.default.enumerator(atPath: folder) else {
      throw ServerFailure("\(path) can't be read. Check its permissions.")
    }
    var names: [String] = []
    for case let name as String in files where files.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
      names.append(name)
    }
    let paths = names.map { "\(folder)/\($0)" }
    state.withLock { $0.done = 0 }
    DispatchQueue.concurrentPerform(iterations: paths.count) { [self] number in
      guard state.withLock({ $0.failure == nil }) else { return }
      let result = Result { try outcome(of: paths[number], isNamed: false) }
      state.withLock { state in
        state.done += 1
        switch result {
        case .success(let outcome): Self.note(outcome, paths[number], isNamed: false, &state)
        case .failure(let error): state.failure = state.failure ?? error
        }
        // Few of thousands of files in a folder of builds have symbols.
        if state.done % 16 == 0 { Terminal.progress("\(state.done) of \(paths.count) files") }
      }
    }
    Terminal.progress("")
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Stores a file.
  private func outcome(of path: String, isNamed: Bool) throws -> Outcome {
    do {
      if isNamed, mapping == nil, let archive = try store.addArchive(path: path, app: app) { return .archive(archive) }
      return .stored(try store.add(path: path, app: app, mapping: mapping))
    } catch let error as ObjectError {
      return .none(error)
    } catch let error as WarehouseError where error.code == .invalid {
      return .invalid(error)
    }
  }

  /// Counts and prints a result. A file without symbols that was found in a directory is mentioned only if it should have some.
  private static func note(_ outcome: Outcome, _ path: String, isNamed: Bool, _ state: inout State) {
    func skip(_ name: String, _ reason: String) {
      Terminal.progress("")
      Terminal.complain("skipped  \(visible(name)): \(reason)")
    }
    switch outcome {
    case .stored(let files): for file in files { note(file, visible(path), &state) }
    case .archive(let archive):
      for file in archive.stored { note(file, visible(file.file.image), &state) }
      for refused in archive.refused {
        state.skipped += 1
        skip(refused.name, refused.error.message)
      }
      state.hasFailed = state.hasFailed || archive.stored.isEmpty
    case .none(let error):
      state.skipped += 1
      state.hasFailed = state.hasFailed || isNamed
      if isNamed || [.damaged, .noBuildID, .unreadable].contains(error.code) { skip(path, error.message) }
    case .invalid(let error):
      state.skipped += 1
      state.hasFailed = true
      skip(path, error.message)
    }
  }

  private static func note(_ stored: StoredSymbols, _ name: String, _ state: inout State) {
    state.counts[stored.addition, default: 0] += 1
    Terminal.progress("")
    Terminal.say("\(stored.addition.rawValue)  \(stored.file.buildID)  \(name)")
    if let warning = stored.warning { Terminal.complain("warning  \(name): \(warning)") }
  }
}
