import Dispatch
import Foundation
import TernBase
import Threads
import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A claim on a directory, with its effects.
///
/// `@unchecked Sendable`: the claim, the file and the record are used only while `lock` is held.
final class Ownership: @unchecked Sendable {
  private struct State {
    var isEnded = false
    var loss: WarehouseError?
  }

  private let files: DataDirectory
  /// The lock of the directory; `nil` for a visit.
  private let directoryLock: DirectoryLock?
  private let effects: DirectoryOwner.Effects
  private let state = Locked(State())
  private let wake = DispatchSemaphore(value: 0)
  private let lock = NSLock()
  private var claim: DirectoryClaim
  private var record: OwnerRecord
  private let file: OwnerFile
  private let name: String

  init(
    _ files: DataDirectory, _ purpose: DirectoryClaim.Purpose, _ effects: DirectoryOwner.Effects,
    lock: DirectoryLock? = nil
  ) {
    directoryLock = lock
    let place = effects.place(files)
    record = OwnerRecord(
      name: effects.name(), place: place,
      owner: "process \(getpid()) on \(Self.computer), as \(files.path)")
    name = record.name
    claim = DirectoryClaim(purpose, name: name, place: place)
    file = OwnerFile(files)
    (self.files, self.effects) = (files, effects)
  }

  /// Waits until the directory may be used; throws if it may not.
  func open() throws {
    var isWaiting = false
    var actions: [DirectoryClaim.Action] = [.read]
    while !actions.isEmpty {
      let action = actions.removeFirst()
      switch action {
      case .enter: return
      case .refuse(let owner), .stop(let owner): throw Self.refusal(files.path, owner)
      case .readLater where !isWaiting:
        isWaiting = true
        effects.report(Self.waiting(files.path))
        fallthrough
      case .readLater:
        effects.wait(wake)
        actions.append(.read)
      default:
        if let event = try lock.withLock({ try perform(action) }) { actions += lock.withLock { claim.handle(event) } }
      }
    }
  }

  /// Starts the thread that renews the ownership.
  func start() {
    ThreadKind.owner.start { [self] in
      var failures = 0
      while !state.withLock({ $0.isEnded }) {
        failures = renew(after: failures)
        effects.wait(wake)
      }
    }
  }

  /// The attempts in a row after which a disk that doesn't answer is taken for gone: some fail for a moment.
  private static let silentAttempts = 3

  /// Increases the number in the file, or loses the ownership if the disk doesn't answer for some time.
  ///
  /// - Parameter failures: The attempts just before at which the disk didn't answer.
  /// - Returns: The same with this one.
  func renew(after failures: Int) -> Int {
    do {
      try renew()
      return 0
    } catch {
      // Other failures, as that of a full disk, end; commits report them.
      guard let failure = (error as? WarehouseError)?.cause as? SystemFailure, DataDirectory.isSilent(failure.code)
      else {
        return 0
      }
      if failures + 1 >= Self.silentAttempts { lose(Self.silence(files.path, failure)) }
      return failures + 1
    }
  }

  /// Reads the file; if it has another name, or is gone, the ownership is lost.
  func check() throws {
    try failIfLost()
    let found = try effects.read(files.ownerPath)
    guard found?.name != name else { return }
    lose(to: found)
    try failIfLost()
  }

  /// Reads the file and increases its number.
  func renew() throws {
    let loss: DirectoryClaim.Action? = try lock.withLock {
      guard !state.withLock({ $0.isEnded }) else { return nil }
      let actions = claim.handle(.read(try effects.read(files.ownerPath)))
      for action in actions { _ = try perform(action) }
      return actions.first
    }
    if case .stop(let owner) = loss { lose(to: owner) }
  }

  /// Ends the renewal, and removes the name.
  func end() {
    lock.withLock {
      let isHeld = state.withLock { state in
        defer { state.isEnded = true }
        return !state.isEnded && state.loss == nil
      }
      guard isHeld, (try? effects.read(files.ownerPath))??.name == name else { return }
      file.delete()
    }
    wake.signal()
  }

  private func perform(_ action: DirectoryClaim.Action) throws -> DirectoryClaim.Event? {
    switch action {
    case .read: return .read(try effects.read(files.ownerPath))
    case .create:
      record.beat = 1
      return .created(try file.create(record))
    case .replace(let former, let settles):
      record.beat = settles ? 0 : 1
      return .replaced(try file.replace(former, with: record))
    case .beat:
      record.beat &+= 1
      try file.write(record)
      return nil
    case .readLater, .enter, .refuse, .stop: return nil
    }
  }

  private func failIfLost() throws {
    if let loss = state.withLock({ $0.loss }) { throw loss }
  }

  private func lose(to owner: OwnerRecord?) {
    let isGone = directoryLock?.isHeld(at: files.path) == false
    lose(isGone ? Self.absence(files.path) : Self.loss(files.path, owner))
  }

  private func lose(_ loss: WarehouseError) {
    let isFirst = state.withLock { state in
      guard !state.isEnded, state.loss == nil else { return false }
      state.loss = loss
      return true
    }
    if isFirst { effects.onLoss(loss) }
  }
}

extension Ownership {
  private static var computer: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "an unknown computer" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func waiting(_ path: String) -> String {
    """
    \(path) names a server that ran before this computer was started, or that reaches the directory in another way. Waiting ten \
    seconds to see whether it is still running.
    """
  }

  private static func refusal(_ path: String, _ owner: OwnerRecord?) -> WarehouseError {
    WarehouseError(
      .inUse,
      """
      \(path) is in use by a server that reaches it in another way or from another computer\(words(owner)). Two of them would \
      destroy the data: stop that server, use the path that it uses, or choose another directory with --data.
      """)
  }

  private static func loss(_ path: String, _ owner: OwnerRecord?) -> WarehouseError {
    WarehouseError(
      .unavailable,
      """
      This server stops, because \(owner == nil ? "the file \(path)/owner is gone" : "another server has taken \(path)")\
      \(words(owner)). Clients keep what it hasn't confirmed. Run one server for each directory.
      """)
  }

  private static func absence(_ path: String) -> WarehouseError {
    WarehouseError(
      .gone,
      """
      This server stops, because \(path) is no longer the directory on which it was started: its disk is gone, or the directory was \
      moved. It has everything that was confirmed. Bring it back before you start Tern again: without it, a new server would begin.
      """)
  }

  private static func silence(_ path: String, _ failure: SystemFailure) -> WarehouseError {
    WarehouseError(
      .unavailable,
      """
      This server stops, because the disk of \(path) doesn't answer (\(String(cString: strerror(failure.code)))). Everything that was \
      confirmed is stored there: bring the disk back, then start Tern again.
      """)
  }

  private static func words(_ owner: OwnerRecord?) -> String { owner.map { " (\($0.owner))" } ?? "" }
}
