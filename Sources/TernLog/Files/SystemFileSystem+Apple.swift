#if canImport(Darwin)
  import Darwin
  import Foundation

  extension SystemFileSystem {
    /// Keeps the directory out of backups and readable from the first unlock after a boot on.
    ///
    /// Best effort: a log without these attributes is better than none.
    func prepareDirectory(_ path: String) {
      var url = URL(fileURLWithPath: path, isDirectory: true)
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      try? url.setResourceValues(values)
      #if !os(macOS)
        // Events are recorded while the device is locked, too. Files inherit the protection of their directory.
        try? FileManager.default.setAttributes(
          [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
      #endif
    }

    /// Always `nil`: Apple's file systems report a full disk to the write itself, and apps have to declare why they ask for the free space.
    package func freeBytes(_ directory: String) -> Int? { nil }
  }

  /// `fsync` alone only hands the bytes to the drive here; this asks the drive to write them.
  func flush(_ descriptor: Int32) -> Int32 {
    fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor)
  }
#endif
