#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The limit on this process's open files and connections.
///
/// Reaching it is worse than rejecting a connection: a failed accept ends the listener's stream, and with it the
/// server.
package enum DescriptorLimit {
  /// Descriptors for databases, threads, and the few connections accepted beyond the limit at once.
  package static let reserve = 256
  /// The number of connections beyond the limit that may be open until others are closed for them.
  package static let surplus = 128

  #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    private static let resource = RLIMIT_NOFILE
  #endif

  /// The limit that applies now; `nil` if it can't be read.
  static var current: Int? {
    var limit = rlimit()
    return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : nil
  }

  /// Raises the limit as far as the system allows and returns it.
  package static func raised() -> Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 1_024 }
    let before = limit.rlim_cur
    limit.rlim_cur = min(limit.rlim_max, 65_536)
    guard limit.rlim_cur > before else { return Int(clamping: before) }
    return setrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : Int(clamping: before)
  }
}
