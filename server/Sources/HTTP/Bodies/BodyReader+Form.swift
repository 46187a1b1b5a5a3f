package import Hummingbird
import NIOCore
import Reports
package import ServerBase
import Warehouse

extension BodyReader {
  /// The maximum size of a form, in bytes.
  private static let maximumFormBytes = 16 << 10

  /// Reads a posted form; throws ``APIError`` 400 if it has a NUL.
  package func form(_ request: Request, _ context: CollectorContext) async throws -> URLEncodedForm {
    let text = String(buffer: try await read(request, context, limit: Self.maximumFormBytes).bytes)
    guard !URLEncodedForm.hasNUL(text) else { throw APIError.nul }
    return URLEncodedForm(text)
  }
}

extension URLEncodedForm {
  /// A text, or `nil` if the field is empty or missing.
  package func text(_ name: String) -> String? { self[name].map(\.trimmed).flatMap { $0.isEmpty ? nil : $0 } }

  /// The words of a text; none if the field is empty, and `nil` if it is missing.
  package func words(_ name: String) -> [String]? {
    self[name]?.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// A whole number, or `nil` if the field is empty or missing.
  package func number(_ name: String) throws -> Int? {
    guard let text = text(name) else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw WarehouseError(.invalid, "“\(visible(text))” is not a whole number.")
    }
    return number
  }
}
