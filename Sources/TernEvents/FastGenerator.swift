/// A small, fast random number generator (SplitMix64) for identifiers and jitter.
///
/// The system's generator costs half a microsecond a draw, too much for the caller of `track`; this one costs
/// a nanosecond and is seeded from the system's once. It is not for secrets.
public struct FastGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator that repeats the same numbers for the same seed.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
