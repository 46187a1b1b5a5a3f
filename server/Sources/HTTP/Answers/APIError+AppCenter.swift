import HTTPTypes
import Hummingbird
import TernEvents

extension APIError {
  /// The path prefix of the API with App Center's response format, including errors.
  static let appCenterPrefix = "/v0.1/"

  /// The response in App Center's format, whose codes are the names of the statuses, such as `NotFound`.
  ///
  /// The code is both at the top level and in `error`, because App Center's services differed and scripts look in
  /// either place.
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
