/// The codes of an authenticator app (TOTP, RFC 6238): six digits that change every 30 seconds, by HMAC-SHA-1.
package struct OneTimePassword: Sendable, Hashable {
  /// The number of digits of a code.
  package static let digits = 6
  /// The seconds for which a code is shown.
  package static let period: Int64 = 30
  /// The number of bytes of a new key, which RFC 4226 recommends.
  package static let keyBytes = 20

  /// The secret that app and server share.
  package let key: [UInt8]

  package init(key: [UInt8]) { self.key = key }

  /// Returns the code of a step, which is the number of periods since 1970.
  package func code(ofStep step: Int64) -> String {
    let counter = withUnsafeBytes(of: step.bigEndian) { Array($0) }
    let hash = HashFunction.sha1.authenticationCode(of: counter, key: key)
    let offset = Int(hash[hash.count - 1] & 0xF)
    let number = hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let text = String(number % 1_000_000)
    return String(repeating: "0", count: Self.digits - text.utf8.count) + text
  }

  /// Returns the step whose code was given; `nil` for a wrong code. The code before and the next one count as well, since clocks
  /// differ and typing takes a while.
  ///
  /// - Parameter last: The last step whose code was used. Its code and earlier ones are wrong, so that each works once.
  package func step(of code: String, at seconds: Int64, after last: Int64) -> Int64? {
    let now = seconds / Self.period
    return (now - 1...now + 1).first { step in
      step > last && ConstantTime.areEqual(self.code(ofStep: step).utf8, code.utf8)
    }
  }
}
