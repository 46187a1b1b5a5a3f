/// Which clients report, when an app asks for a part of them only.
package enum Sampling {
  /// Returns true if the client is in a sample of the given percentage; an unreadable rate means everyone.
  ///
  /// The decision belongs to the client and not to the hit, and is the same on every device and version.
  package static func includes(client: String, rate: String?) -> Bool {
    guard let rate = rate.flatMap(Double.init), rate.isFinite else { return true }
    return Double(bucket(client)) < rate * 100
  }

  /// 0 to 9,999: FNV-1a, whose high bits are folded in, since its low ones alone are poor.
  private static func bucket(_ client: String) -> UInt64 {
    let hash = client.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return (hash ^ hash >> 32) % 10_000
  }
}
