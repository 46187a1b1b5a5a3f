#if canImport(Glibc)
  import Glibc
#endif

/// The memory that this process has freed and could use again.
package enum FreedMemory {
  /// Returns it to the system. Counting a day, or a burst of requests, takes hundreds of thousands of small blocks, of which
  /// glibc would keep most.
  package static func giveBack() {
    #if canImport(Glibc)
      _ = trim?(0)
    #endif
  }

  #if canImport(Glibc)
    // Looked up by name, because Swift's module of glibc lacks its header.
    private static let trim = dlsym(nil, "malloc_trim").map {
      unsafeBitCast($0, to: (@convention(c) (Int) -> CInt).self)
    }
  #endif
}
