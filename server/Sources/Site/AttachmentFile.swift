import HTTP
import HTTPTypes
import Hummingbird
import NIOCore
import TernBase
import Warehouse

/// An attachment for download. Anyone with an app's public secret can send attachments, so the reader's browser must
/// neither run nor open them.
struct AttachmentFile: Sendable {
  private static let maximumNameLength = 100
  /// Extensions of files that common programs don't execute on opening.
  private static let harmlessExtensions: Set<String> = [
    "txt", "log", "json", "csv", "xml", "md", "png", "jpg", "jpeg", "gif", "webp", "heic", "mp4", "zip", "gz",
  ]

  let facts: AttachmentFacts
  let data: [UInt8]

  /// The client's content type only selects between text and binary.
  private var isText: Bool { facts.contentType.lowercased().hasPrefix("text/") }

  var contentType: String { isText ? "text/plain; charset=utf-8" : "application/octet-stream" }

  /// A name for the reader's disk: ASCII letters, digits and a few other characters, no hidden file, no executable
  /// extension.
  var plainName: String { name(of: { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) }) }

  /// The same with letters of all scripts. Invisible characters and those that change the writing direction are
  /// replaced, because they could make one name look like another.
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

  /// The header field: the plain name for every client, and the full name in RFC 6266's form if it differs.
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
