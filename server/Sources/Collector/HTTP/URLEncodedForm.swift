import Hummingbird
import NIOCore
import TernBase

/// The values of a query or a posted form, `name=value&…`. If a name is repeated, the last value counts.
///
/// Hummingbird's own query map neither decodes names nor reads `+` as a space.
struct URLEncodedForm: Sendable {
  private(set) var values: [String: String] = [:]

  init(_ text: some StringProtocol) {
    for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      values[PercentCoding.decode(name)] = PercentCoding.decode(pair.dropFirst(name.count + 1))
    }
  }

  subscript(name: String) -> String? { values[name] }
}

extension BodyReader {
  /// The maximum size of a form, in bytes.
  private static let maximumFormBytes = 16 << 10

  /// Reads a posted form.
  func form(_ request: Request, _ context: CollectorContext) async throws -> URLEncodedForm {
    URLEncodedForm(String(buffer: try await read(request, context, limit: Self.maximumFormBytes).bytes))
  }
}
