/// The validation of a hit by `/debug/collect`, for developers who try out the protocol.
package struct MeasurementValidation: Sendable, Hashable {
  /// A problem found in a hit.
  package struct Message: Sendable, Hashable {
    /// `ERROR` if the hit would be rejected, `WARN` if only a parameter would be dropped or truncated.
    package var type: String
    /// A description of the problem.
    package var description: String
    /// The parameter concerned.
    package var parameter: String
    /// `VALUE_REQUIRED`, `VALUE_INVALID` or `VALUE_OUT_OF_BOUNDS`.
    package var code: String
  }

  /// True if the hit would be stored.
  package var isValid: Bool { !messages.contains { $0.type == "ERROR" } }
  /// The problems found; empty for a valid hit.
  package private(set) var messages: [Message] = []

  /// Validates a hit by the rules of `/collect`.
  package init(_ payload: UnsafeRawBufferPointer, limits: IngestLimits = .measurement) {
    guard payload.count <= MeasurementParser.maximumHitBytes else {
      error("", "The hit is longer than \(MeasurementParser.maximumHitBytes) bytes.", "VALUE_OUT_OF_BOUNDS")
      return
    }
    let hit = MeasurementHit(MeasurementParser.trimmed(payload), limits: limits)
    let form = hit.parameters
    checkVersion(form)
    checkTrackingID(hit.trackingID)
    if hit.client.isEmpty { require("cid") }
    checkType(hit, form)
    checkAppView(hit, form)
    if hit.isTooOld {
      error("qt", "The value provided for parameter 'qt' is longer than the server accepts.", "VALUE_INVALID")
    }
    for (parameter, fault) in HitParameters(form).faults where !messages.contains(where: { $0.parameter == parameter })
    {
      switch fault {
      case .invalid:
        warn(parameter, "The value of '\(parameter)' is not of the right type and is dropped.", "VALUE_INVALID")
      case .cut(let limit):
        warn(parameter, "The value of '\(parameter)' is truncated to \(limit) bytes.", "VALUE_OUT_OF_BOUNDS")
      case .indexOutOfRange: warn(parameter, "There is no parameter '\(parameter)'.", "VALUE_OUT_OF_BOUNDS")
      }
    }
  }

  private mutating func checkVersion(_ form: FormParameters) {
    switch form.text("v", limit: 8) {
    case "1": return
    case nil: require("v")
    default: error("v", "The value provided for parameter 'v' is invalid: it must be 1.", "VALUE_INVALID")
    }
  }

  private mutating func checkTrackingID(_ trackingID: String) {
    let parts = trackingID.split(separator: "-", omittingEmptySubsequences: false)
    let isWellFormed =
      parts.count == 3 && parts[0] == "UA"
      && parts.dropFirst().allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard !isWellFormed else { return }
    if !trackingID.isEmpty {
      error("tid", "The value provided for parameter 'tid' is invalid: it must look like UA-XXXX-Y.", "VALUE_INVALID")
    }
    require("tid")
  }

  private mutating func checkType(_ hit: MeasurementHit, _ form: FormParameters) {
    let type = form.text("t", limit: 64)?.lowercased() ?? ""
    if type.isEmpty { return require("t") }
    if hit.missing == .hitTypeUnknown {
      return error("t", "The value provided for parameter 't' is invalid.", "VALUE_INVALID")
    }
    for name in hit.isCarrier ? hit.absentParameters : [] {
      warn(
        name, "An event needs a value for parameter '\(name)'; only its products are counted.", "VALUE_REQUIRED")
    }
    for name in hit.missingParameters {
      if form.text(name, limit: 8) == nil {
        require(name)
      } else {
        error(name, "The value provided for parameter '\(name)' is invalid.", "VALUE_INVALID")
      }
    }
  }

  /// Checks parameters that the protocol requires but many clients omit: the hit is stored, with less detail in
  /// reports.
  private mutating func checkAppView(_ hit: MeasurementHit, _ form: FormParameters) {
    if hit.type == "screenview" || hit.type == "appview", form.text("cd", limit: 8) == nil {
      warn(
        "cd", "A screen view should have a value for parameter 'cd'; it is counted as \"(not set)\".", "VALUE_REQUIRED")
    }
    if form.text("an", limit: 8) == nil, ["av", "aid", "aiid"].contains(where: { form.text($0, limit: 8) != nil }) {
      warn("an", "An app's hit should have a value for parameter 'an'.", "VALUE_REQUIRED")
    }
  }

  private mutating func require(_ parameter: String) {
    error(parameter, "A value is required for parameter '\(parameter)'.", "VALUE_REQUIRED")
  }

  private mutating func error(_ parameter: String, _ description: String, _ code: String) {
    messages.append(Message(type: "ERROR", description: description, parameter: parameter, code: code))
  }

  private mutating func warn(_ parameter: String, _ description: String, _ code: String) {
    messages.append(Message(type: "WARN", description: description, parameter: parameter, code: code))
  }
}
