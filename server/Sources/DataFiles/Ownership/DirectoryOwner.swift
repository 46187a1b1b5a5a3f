package import Dispatch
import Foundation
package import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The ownership of a data directory: its lock, and the name in its file `owner`; see ``DirectoryClaim``.
///
/// A thread renews it every second, until ``release()`` or deallocation.
package final class DirectoryOwner: Sendable {
  /// The effects of an ownership; tests replace them.
  package struct Effects: Sendable {
    /// Waits between two readings. The signal of the semaphore ends that early.
    package var wait: @Sendable (DispatchSemaphore) -> Void = { _ = $0.wait(timeout: .now() + .seconds(1)) }
    /// Returns a name that no other process has.
    package var name: @Sendable () -> String = { UUID().uuidString }
    /// Returns the place of a directory.
    package var place: @Sendable (DataDirectory) -> String? = { $0.place }
    /// Returns the record in a file; `nil` if there is none.
    var read: @Sendable (_ path: String) throws -> OwnerRecord? = { try OwnerFile.read($0) }
    /// Receives a message if opening takes some seconds.
    package var report: @Sendable (String) -> Void = { _ in }
    /// Called when another server has taken the directory, or its disk doesn't answer any more. It should end the process: whatever
    /// this one still has to write could damage the files, and what it has open stays dead when the disk comes back.
    package var onLoss: @Sendable (WarehouseError) -> Void = { _ in }

    package init() {}
  }

  private let lock: DirectoryLock
  private let ownership: Ownership

  /// Takes the lock and the ownership of a directory.
  ///
  /// - Parameter patience: The time to wait for a process that briefly holds the lock. If it is positive, a process that waits to see
  ///   whether an owner is gone gets longer.
  /// - Returns: `nil` if another process holds the lock.
  /// - Throws: ``WarehouseError``, with code `inUse` if an owner at another place is alive.
  package init?(_ files: DataDirectory, waitingFor patience: Duration = .zero, _ effects: Effects = Effects()) throws {
    guard let lock = try Self.lock(files, patience, effects) else { return nil }
    self.lock = lock
    ownership = Ownership(files, .own, effects, lock: lock)
    do {
      try ownership.open()
      files.removeLeftovers()
    } catch let error as WarehouseError where error.code != .inUse {
      throw files.obstacle(cause: error) ?? error
    }
    ownership.start()
  }

  private static func lock(_ files: DataDirectory, _ patience: Duration, _ effects: Effects) throws -> DirectoryLock? {
    if let lock = try files.lock(waitingFor: patience) { return lock }
    guard patience > .zero, let record = try OwnerFile.read(files.ownerPath),
      record.place != effects.place(files) || !record.isSettled
    else { return nil }
    effects.report(
      "Another process waits to see whether the last server on \(files.path) is gone. Waiting for that process.")
    return try files.lock(waitingFor: .seconds(15))
  }

  deinit { release() }

  /// Throws if another server has taken the directory, or if that can't be determined.
  package func check() throws { try ownership.check() }

  /// Ends the ownership.
  package func release() {
    ownership.end()
    lock.release()
  }
}

extension DataDirectory {
  /// The file with the owner's name.
  package var ownerPath: String { path + "/owner" }

  /// Checks that the directory may be used beside its owner: there is none, it is at the same place, or it is gone.
  ///
  /// The name of one that is gone is removed, so that only one command waits for that after a power failure.
  ///
  /// - Parameter report: Receives a message if that takes some seconds.
  /// - Throws: ``WarehouseError`` with code `inUse` if an owner at another place is alive.
  package func visit(_ report: @escaping @Sendable (String) -> Void) throws {
    var effects = DirectoryOwner.Effects()
    effects.report = report
    try visit(effects)
  }

  func visit(_ effects: DirectoryOwner.Effects) throws {
    guard let record = try OwnerFile.read(ownerPath) else { return }
    let place = effects.place(self)
    guard place == nil || record.place != place else { return }
    do {
      if let owner = try DirectoryOwner(self, effects) { return owner.release() }
    } catch let error as WarehouseError where error.code == .full {
      // The owner is gone; there is only no room to take its place.
      return
    }
    // The process that has the lock is at the same place, although one of the two can't determine it, as in a sandbox without
    // /proc/sys.
    if record.place == nil || place == nil { return }
    try Ownership(self, .visit, effects).open()
  }

  /// The running kernel, and the file system as it knows it; `nil` if they can't be determined.
  package var place: String? {
    var status = stat()
    guard stat(path, &status) == 0, let boot = Self.boot else { return nil }
    return "\(boot) \(status.st_dev)"
  }

  private static let boot: String? = {
    #if canImport(Darwin)
      var bytes = [UInt8](repeating: 0, count: 64)
      var size = bytes.count
      guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
      let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    #else
      let file = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
      let text = file?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    #endif
    return text.isEmpty ? nil : text
  }()
}
