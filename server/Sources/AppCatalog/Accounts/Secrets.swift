import Cryptography
import Foundation
import ServerBase
import Warehouse

/// The cost of hashing a password with scrypt, which slows down guessing. It is stored with each hash.
package struct PasswordCost: Sendable {
  /// The binary logarithm of the number of rounds.
  package var exponent: Int
  /// The block size.
  package var blocks: Int
  /// The number of lanes.
  package var lanes: Int

  /// Creates a cost. Defaults: 32 MiB of memory and a few tenths of a second.
  package init(exponent: Int = 15, blocks: Int = 8, lanes: Int = 3) {
    self.exponent = exponent
    self.blocks = blocks
    self.lanes = lanes
  }
}

/// The hashes under which secrets are stored.
enum Secrets {
  /// The hash of a random secret. A look-up by it reveals nothing by its timing.
  static func digest(_ secret: String) -> Data { Data(HashFunction.sha256.hash(secret.utf8)) }

  /// Returns the stored form of a password: cost, salt and hash.
  static func stored(_ password: String, salt: [UInt8], cost: PasswordCost) throws -> String {
    let hash = try scrypt(password, salt, cost)
    return "\(cost.exponent) \(cost.blocks) \(cost.lanes) \(hexadecimal(salt)) \(hexadecimal(hash))"
  }

  /// Compares a password with a stored one, in time that does not depend on the result. Without a stored one, the result
  /// is false after the same work, so that the time does not reveal which names exist.
  static func matches(_ password: String, stored: String?, cost: PasswordCost) throws -> Bool {
    let parts = (stored ?? "").split(separator: " ").map(String.init)
    guard parts.count == 5, let exponent = Int(parts[0]), let blocks = Int(parts[1]), let lanes = Int(parts[2]) else {
      _ = try scrypt(password, [0], cost)
      return false
    }
    let hash = try scrypt(
      password, bytes(hexadecimal: parts[3]), PasswordCost(exponent: exponent, blocks: blocks, lanes: lanes))
    return ConstantTime.areEqual(hexadecimal(hash).utf8, parts[4].utf8)
  }

  private static func scrypt(_ password: String, _ salt: [UInt8], _ cost: PasswordCost) throws -> [UInt8] {
    // Keyboards differ in how they compose the same letter.
    let text = password.precomposedStringWithCanonicalMapping
    return try Scrypt.derive(
      from: Array(text.utf8), salt: salt, cost: 1 << cost.exponent, blockSize: cost.blocks,
      parallelism: cost.lanes)
  }

  private static func bytes(hexadecimal text: String) -> [UInt8] {
    let digits = Array(text)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
  }
}
