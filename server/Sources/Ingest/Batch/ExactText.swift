/// A string as a key of dictionaries and sets, compared byte by byte, as in SQLite.
///
/// Swift compares strings by canonical equivalence: `é` is equal in composed and decomposed form. A name that is one
/// key here and two on disk would get the counts of the other.
package struct ExactText: Sendable {
  package let text: String

  /// Creates a key.
  package init(_ text: String) { self.text = text }
}

extension ExactText: Hashable {
  /// Returns true if the bytes are the same.
  package static func == (left: ExactText, right: ExactText) -> Bool { left.text.hasBytes(of: right.text) }

  /// Mixes the bytes in.
  package func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: text) }
}

extension String {
  /// Returns true if another text has the same bytes.
  package func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Hasher {
  /// Mixes in the bytes of a string and a terminator.
  mutating func combine(bytesOf text: String) {
    var text = text
    text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
    // This byte does not occur in UTF-8.
    combine(UInt8(0xFF))
  }
}
