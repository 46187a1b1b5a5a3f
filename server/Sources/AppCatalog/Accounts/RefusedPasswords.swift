import Cryptography
import Foundation
import Warehouse

/// A list of passwords that others know, such as those of breaches, as the beginnings of their SHA-1 hashes.
package struct RefusedPasswords: Sendable {
  /// The largest file: it is read at once, and takes about three times as much memory for that time.
  package static let maximumBytes = 64 << 20

  /// Sorted. 64 bits suffice: with eight million passwords, another one is refused by mistake once in 10^12 times.
  private let beginnings: [UInt64]

  /// The number of passwords.
  package var count: Int { beginnings.count }

  /// Creates a list that refuses nothing.
  package init() { beginnings = [] }

  /// Parses a list with one password per line, or one SHA-1 hash in hexadecimal digits, with or without a number after a colon.
  package init(_ text: [UInt8]) {
    var found: [UInt64] = []
    var rest = text[...]
    while !rest.isEmpty {
      let line = rest.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      rest = rest[line.endIndex...].dropFirst()
      // Too short to be chosen anyway.
      guard line.count >= PasswordRules.lengths.lowerBound else { continue }
      found.append(Self.hash(line) ?? Self.beginning(of: line))
    }
    found.sort()
    beginnings = found
  }

  /// Reads a list; throws ``WarehouseError`` if that can't be, or the file is too large.
  package init(path: String, maximumBytes: Int = Self.maximumBytes) throws {
    guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: maximumBytes + 1)
    else {
      throw WarehouseError(.invalid, "\(path) can't be read, or is empty. Check its name and its permissions.")
    }
    guard data.count <= maximumBytes else {
      throw WarehouseError(
        .invalid,
        "\(path) is larger than \(maximumBytes >> 20) MiB. Keep only the passwords that are used most.")
    }
    self.init([UInt8](data))
    guard count > 0 else {
      throw WarehouseError(
        .invalid,
        "\(path) has no password of at least \(PasswordRules.lengths.lowerBound) characters. It must be a text in UTF-8, with one "
          + "password or SHA-1 hash in each line.")
    }
  }

  /// True if the list has a password, as typed or in lowercase letters.
  package func contains(_ password: String) -> Bool {
    let text = password.precomposedStringWithCanonicalMapping
    return Set([text, text.lowercased()]).contains { has(Self.beginning(of: Array($0.utf8)[...])) }
  }

  private func has(_ beginning: UInt64) -> Bool {
    var (low, high) = (0, beginnings.count)
    while low < high {
      let middle = (low + high) / 2
      if beginnings[middle] < beginning { low = middle + 1 } else { high = middle }
    }
    return low < beginnings.count && beginnings[low] == beginning
  }

  private static func beginning(of text: ArraySlice<UInt8>) -> UInt64 {
    HashFunction.sha1.hash(text).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns the beginning of the hash in a line; `nil` if the line is a password.
  private static func hash(_ line: ArraySlice<UInt8>) -> UInt64? {
    let (digits, rest) = (line.prefix(40), line.dropFirst(40))
    guard digits.count == 40, rest.isEmpty || rest.first == UInt8(ascii: ":") else { return nil }
    guard rest.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    var beginning: UInt64 = 0
    for (index, digit) in digits.enumerated() {
      guard let value = value(ofHexadecimal: digit) else { return nil }
      if index < 16 { beginning = beginning << 4 | UInt64(value) }
    }
    return beginning
  }

  private static func value(ofHexadecimal digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
