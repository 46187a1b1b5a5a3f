/// Decides which clients report if an app samples them.
package enum Sampling {
  /// Returns true if the client is in a sample of the given percentage; an invalid rate includes every client.
  ///
  /// The decision depends only on the client identifier, so it is stable across hits, devices and versions.
  package static func includes(client: String, rate: String?) -> Bool {
    guard let rate = rate.flatMap(Double.init), rate.isFinite else { return true }
    return Double(bucket(client)) < rate * 100
  }

  /// A bucket from 0 to 9,999, by FNV-1a with its high bits folded in, because the low bits alone are poor.
  private static func bucket(_ client: String) -> UInt64 {
    let hash = client.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return (hash ^ hash >> 32) % 10_000
  }
}
