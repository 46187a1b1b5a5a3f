import Questions
import Warehouse

/// The canonical codes of languages and countries, as bytes that live as long as the process.
enum CanonicalBytes {
  private typealias Table = [(sent: [UInt8], code: UnsafeRawBufferPointer)]

  // Unsafe only by their type: the bytes are made once, never change and are never freed.
  private nonisolated(unsafe) static let languages = table(CanonicalCode.languages)
  private nonisolated(unsafe) static let countries = table(CanonicalCode.countries)

  /// Returns the bytes of a stored text as questions see it; the given ones, unless another code stands for them.
  static func canonical(_ text: UnsafeRawBufferPointer, _ dimension: QuestionDimension) -> UnsafeRawBufferPointer {
    let table: Table
    switch dimension {
    case .language: table = languages
    case .country: table = countries
    default: return text
    }
    return table.first { text.elementsEqual($0.sent) }?.code ?? text
  }

  private static func table(_ codes: [String: String]) -> Table {
    codes.map { sent, code in
      let bytes = Array(code.utf8)
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
      memory.copyBytes(from: bytes)
      return (Array(sent.utf8), UnsafeRawBufferPointer(memory))
    }
  }
}
