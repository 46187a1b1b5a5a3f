import Hummingbird
import NIOCore
import Portal

extension BodyReader {
  /// The maximum size of a form, in bytes.
  private static let maximumFormBytes = 16 << 10

  /// Reads a posted form.
  func form(_ request: Request, _ context: CollectorContext) async throws -> URLEncodedForm {
    URLEncodedForm(String(buffer: try await read(request, context, limit: Self.maximumFormBytes).bytes))
  }
}
