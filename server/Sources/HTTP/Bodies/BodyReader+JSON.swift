import Foundation
package import HTTPTypes
package import Hummingbird
import NIOCore
import Reports
import Warehouse

extension Response {
  /// Creates a response with a value as JSON, its members in alphabetical order.
  package static func json(encoding value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    .json(try bytes(encoding: value), status: status)
  }

  /// Returns a value as JSON, its members in alphabetical order.
  package static func bytes(encoding value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value))
  }

  /// Makes a response to a program: 400 for invalid values, and 404 for what a report does not know.
  package static func refusingInvalid(_ body: () async throws -> Response) async throws -> Response {
    do { return try await body() } catch { throw refusal(error) }
  }

  /// Likewise, without waiting.
  package static func refusingInvalid(_ body: () throws -> Response) throws -> Response {
    do { return try body() } catch { throw refusal(error) }
  }

  private static func refusal(_ error: any Error) -> any Error {
    do {
      throw error
    } catch let error as WarehouseError where error.code == .invalid {
      return APIError(status: .badRequest, code: "invalid", message: error.message)
    } catch let error as WarehouseError where error.code == .unknownApp {
      // Deleted since the request was admitted.
      return APIError.unknownApp
    } catch let error as ReportError {
      return APIError(
        status: error.isNotFound ? .notFound : .badRequest, code: error.code.rawValue, message: error.message)
    } catch {
      return error
    }
  }
}
