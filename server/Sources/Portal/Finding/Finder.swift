import Foundation
import ServerBase
import TernBase

/// Decides which names a search finds, and in which order.
///
/// Each word of the search must be somewhere in a name, whatever its case and accents.
struct Finder {
  /// The longest search that is read.
  static let maximumBytes = 200
  private static let maximumWords = 8

  /// The search as it was typed.
  let text: String
  private let words: [String]

  init(_ text: String) {
    self.text = text.prefix(utf8Bytes: Self.maximumBytes).trimmed
    words = Self.words(of: self.text).prefix(Self.maximumWords).map(String.init)
  }

  /// True if nothing is searched for.
  var isEmpty: Bool { words.isEmpty }

  /// Returns the things whose name is found, at most `limit`: first those that begin with the search, then those of which words begin
  /// so, then the others, each in their order.
  func found<Thing>(_ things: [Thing], limit: Int, name: (Thing) -> String) -> (things: [Thing], others: Int) {
    var places: [[Thing]] = [[], [], []]
    for thing in things {
      if let rank = rank(name(thing)) { places[rank].append(thing) }
    }
    let all = places.flatMap { $0 }
    return (Array(all.prefix(limit)), max(0, all.count - limit))
  }

  private func rank(_ name: String) -> Int? {
    guard let first = words.first else { return 0 }
    let name = Self.folded(name)
    guard words.allSatisfy(name.contains) else { return nil }
    if name.hasPrefix(first) { return 0 }
    let parts = Self.words(of: name)
    return words.allSatisfy { word in parts.contains { $0.hasPrefix(word) } } ? 1 : 2
  }

  private static func words(of text: String) -> [Substring] {
    folded(text).split { !$0.isLetter && !$0.isNumber }
  }

  private static func folded(_ text: String) -> String {
    text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
  }
}
