import HTTPTypes
import Hummingbird
import TernEvents

extension APIError {
  /// The path prefix of the API that answers like App Center's, including errors.
  static let appCenterPrefix = "/v0.1/"

  /// The response in the form of App Center's API, whose codes are the names of the statuses: `NotFound`.
  ///
  /// Scripts look for the code at the top or in `error`: App Center's services differed.
  var appCenterResponse: Response {
    let code = status.reasonPhrase.filter { $0 != " " }
    var json = JSONWriter(capacity: 256)
    json.raw("{\"code\":")
    json.string(code)
    json.raw(",\"message\":")
    json.string(message)
    json.raw(",\"error\":{\"code\":")
    json.string(code)
    json.raw(",\"message\":")
    json.string(message)
    json.raw("}}")
    var response = Response.json(json.bytes, status: status)
    for field in headers { response.headers[field.name] = field.value }
    return response
  }
}
