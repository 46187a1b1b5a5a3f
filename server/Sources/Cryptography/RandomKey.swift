/// Random bytes for keys.
package enum RandomKey {
  /// Returns 256 bits of the operating system's generator.
  package static func make() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<32).map { _ in .random(in: .min ... .max, using: &generator) }
  }
}
