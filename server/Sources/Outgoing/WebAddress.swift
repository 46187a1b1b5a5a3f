import Foundation

/// An address that webhooks are sent to: `https://example.org/hook?key=…`.
package struct WebAddress: Sendable, Hashable {
  /// The longest address, in bytes.
  static let maximumBytes = 2_000

  package let text: String
  /// The host, in lowercase.
  let host: String
  private let origin: String

  /// Parses an absolute http or https address. User names, passwords and fragments aren't allowed.
  package init?(_ text: String) {
    // libcurl parses the address again, so characters on which parsers disagree are refused.
    guard text.utf8.count <= Self.maximumBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      !text.utf8.contains(where: { "\"<>\\^`{|}#@".utf8.contains($0) }),
      let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      scheme == "http" || scheme == "https", let host = parts.host, !host.isEmpty
    else { return nil }
    self.text = text
    self.host = host.lowercased()
    origin = "\(scheme)://\(host)\(parts.port.map { ":\($0)" } ?? "")"
  }

  /// The address without its path, which often is a secret.
  package var shown: String { origin + "/…" }

  /// The name of the receiver: of one, many addresses may be known.
  package var receiver: String { origin.lowercased() }

  /// Removes the words of an answer that repeat a part of the path or the query, whatever the answer writes between its letters
  /// and digits, such as `\/` for a slash.
  func removed(from line: String) -> String {
    guard let parts = URLComponents(string: text) else { return line }
    let (path, query) = (parts.percentEncodedPath, parts.percentEncodedQuery ?? "")
    let plain = [path, query].filter { $0.utf8.count >= Self.runLengths.lowerBound }.reduce(line) {
      $0.replacing($1, with: "…")
    }
    let pieces = Set("\(path)/\(query)".split { "/&=".contains($0) }.flatMap { Self.pieces(of: Self.letters($0)) })
    guard !pieces.isEmpty else { return plain }
    return plain.split(separator: " ").map { word in
      Self.runs(of: Self.letters(word), Self.runLengths).contains(where: pieces.contains) ? "…" : word
    }.joined(separator: " ")
  }

  /// The lengths of runs that give a secret away. Shorter parts of an address are also parts of ordinary words.
  private static let runLengths = 4...8

  /// The runs of a part of the address that an answer must not have: the whole of a short one, all of some length of a long one.
  private static func pieces(of part: [UInt8]) -> [ArraySlice<UInt8>] {
    guard part.count >= Self.runLengths.lowerBound else { return [] }
    let length = min(part.count, Self.runLengths.upperBound)
    return runs(of: part, length...length)
  }

  /// All runs of some lengths.
  private static func runs(of letters: [UInt8], _ lengths: ClosedRange<Int>) -> [ArraySlice<UInt8>] {
    lengths.flatMap { length in
      letters.count < length ? [] : (0...letters.count - length).map { letters[$0..<$0 + length] }
    }
  }

  /// The letters and digits of a text, in lowercase and without escapes of an address.
  private static func letters(_ text: some StringProtocol) -> [UInt8] {
    let text = String(text)
    return (text.removingPercentEncoding ?? text).lowercased().utf8.filter { byte in
      byte >= 0x80 || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
    }
  }
}
