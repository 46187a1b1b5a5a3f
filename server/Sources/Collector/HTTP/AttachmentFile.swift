import HTTPTypes
import Hummingbird
import NIOCore
import TernBase
import Warehouse

/// An attachment as it is handed out: whoever has an app's public secret can send any, so nothing of it may run or
/// open by itself in the browser of the person who reads it.
struct AttachmentFile: Sendable {
  private static let maximumNameLength = 100
  /// Files that no usual program runs when somebody opens them.
  private static let harmlessExtensions: Set<String> = [
    "txt", "log", "json", "csv", "xml", "md", "png", "jpg", "jpeg", "gif", "webp", "heic", "mp4", "zip", "gz",
  ]

  let facts: AttachmentFacts
  let data: [UInt8]

  /// Only whether it claims to be text is taken from the client's word.
  private var isText: Bool { facts.contentType.lowercased().hasPrefix("text/") }

  var contentType: String { isText ? "text/plain; charset=utf-8" : "application/octet-stream" }

  /// A name for the reader's disk: letters, digits and few marks, no hidden file, and no extension that runs.
  var plainName: String { name(of: { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) }) }

  /// The same with letters of all scripts. Nothing else: what is not seen, or turns the direction of writing around,
  /// would let a name look like another one.
  var fullName: String {
    name(of: { scalar in
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
        .nonspacingMark, .spacingMark, .otherSymbol:
        !scalar.properties.isDefaultIgnorableCodePoint
      default: false
      }
    })
  }

  private func name(of isAllowed: (Unicode.Scalar) -> Bool) -> String {
    var name = ""
    for scalar in facts.name.unicodeScalars.suffix(Self.maximumNameLength) {
      name.unicodeScalars.append(isAllowed(scalar) || "-_.".unicodeScalars.contains(scalar) ? scalar : "_")
    }
    name = String(name.drop { $0 == "." })
    if !name.contains(where: { $0.isLetter || $0.isNumber }) { name = "attachment-\(facts.id)" }
    let parts = name.split(separator: ".")
    let isHarmless = parts.count > 1 && Self.harmlessExtensions.contains(parts[parts.count - 1].lowercased())
    return isHarmless ? name : name + (isText ? ".txt" : ".bin")
  }

  /// The header: a plain name for every client, and the full one as RFC 6266 has it where that says more.
  private var disposition: String {
    let (plain, full) = (plainName, fullName)
    let header = "attachment; filename=\"\(plain)\""
    return full.unicodeScalars.allSatisfy(\.isASCII)
      ? header : header + "; filename*=UTF-8''" + PercentCoding.encode(full)
  }

  var response: Response {
    Response(
      status: .ok,
      headers: [
        .contentType: contentType, .contentDisposition: disposition,
        .contentSecurityPolicy: "sandbox; default-src 'none'", .cacheControl: "no-store",
      ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
  }
}
