#if !canImport(Darwin)
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  func flush(_ descriptor: Int32) -> Int32 { fsync(descriptor) }

  extension SystemFileSystem {
    /// Does nothing: backup and file protection exist on Apple platforms only.
    func prepareDirectory(_ path: String) {}

    package func freeBytes(_ directory: String) -> Int? {
      var status = statvfs()
      // File systems without a size have no blocks at all.
      guard statvfs(directory, &status) == 0, status.f_blocks > 0 else { return nil }
      let bytes = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
      return bytes.overflow ? nil : Int(clamping: bytes.partialValue)
    }
  }
#endif
