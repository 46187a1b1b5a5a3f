package import Dispatch
import Foundation

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
    /// Receives a message if opening takes some seconds.
    package var report: @Sendable (String) -> Void = { _ in }
    /// Called when another server has taken the directory. It should end the process: whatever this one still has to write
    /// could damage the files.
    package var onLoss: @Sendable (WarehouseError) -> Void = { _ in }

    package init() {}
  }

  private let lock: DirectoryLock
  private let ownership: Ownership

  /// Takes the lock and the ownership of a directory.
  ///
  /// - Parameter patience: The time to wait for a process that briefly holds the lock.
  /// - Returns: `nil` if another process holds the lock.
  /// - Throws: ``WarehouseError``, with code `inUse` if an owner at another place is alive.
  package init?(_ files: DataDirectory, waitingFor patience: Duration = .zero, _ effects: Effects = Effects()) throws {
    guard let lock = try files.lock(waitingFor: patience) else { return nil }
    self.lock = lock
    ownership = Ownership(files, .own, effects)
    do {
      try ownership.open()
    } catch let error as WarehouseError where error.code != .inUse {
      throw files.obstacle(cause: error) ?? error
    }
    ownership.start()
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
  /// - Throws: ``WarehouseError`` with code `inUse` if an owner at another place is alive.
  package func visit(_ effects: DirectoryOwner.Effects = DirectoryOwner.Effects()) throws {
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
