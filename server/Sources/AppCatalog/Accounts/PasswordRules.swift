import Foundation

/// The passwords that no one may choose.
enum PasswordRules {
  static let lengths = 10...200
  /// Shorter names are too often a part of other words.
  private static let shortestName = 4
  /// The longest piece whose repetition is too easy to guess.
  private static let longestPiece = 4

  /// Returns what is wrong with a new password and what to do, or `nil`.
  static func objection(to password: String, of name: String, refused: RefusedPasswords) -> String? {
    guard lengths.contains(password.count) else {
      return "Choose a password of \(lengths.lowerBound) to \(lengths.upperBound) characters."
    }
    let text = password.precomposedStringWithCanonicalMapping.lowercased()
    // The part of a mail address before the domain counts, too.
    let person = name.precomposedStringWithCanonicalMapping.lowercased()
    let names = [person, person.split(separator: "@").first.map(String.init) ?? person]
    if names.contains(where: { $0.count >= shortestName && text.contains($0) }) {
      return "The password contains your name, so it is easy to guess. Choose another one."
    }
    if isPattern(text) {
      return "The password is a repetition or a sequence, so it is easy to guess. Choose another one."
    }
    guard !refused.contains(password) else {
      return "The password is on a list of known passwords. Choose another one."
    }
    return nil
  }

  /// True for `aaaaaaaaaa`, `abcabcabca`, `1234567890` and `zyxwvutsrq`.
  private static func isPattern(_ text: String) -> Bool {
    let scalars = text.unicodeScalars.map { Int($0.value) }
    let repeats = (1...longestPiece).contains { piece in zip(scalars, scalars.dropFirst(piece)).allSatisfy(==) }
    let steps = zip(scalars, scalars.dropFirst()).map { $1 - $0 }
    // Digits go on from 9 to 0, or from 0 to 9.
    return repeats || [1, -1].contains { step in steps.allSatisfy { $0 == step || $0 == -9 * step } }
  }
}
