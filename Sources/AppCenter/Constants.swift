/// Declared, and never used to order anything.
public enum Priority: Int, Sendable {
  /// Behind the others.
  case background
  /// As usual.
  case `default`
  /// Before the others.
  case high
}

/// The order in which services start: the highest first.
public enum InitializationPriority: Int, Sendable {
  /// As usual.
  case `default` = 500
  /// Before most.
  case high = 750
  /// Before all.
  case max = 999
}

/// What App Center's SDK called its errors; the modules make none.
public enum AppCenterErrors {
  /// The domain.
  public static let domain = "com.Microsoft.AppCenter.ErrorDomain"
  /// The key of the HTTP status.
  public static let httpCodeKey = "MSConnectionHttpCode"
}

/// Can be switched.
public protocol Enable {
  /// Switches, and deletes what waits.
  func setEnabled(_ isEnabled: Bool, deleteDataOnDisabled: Bool)
}

/// What App Center's SDK sent logs through; the modules have none.
public protocol ChannelProtocol: Enable {
  /// Pauses sending.
  func pause(withIdentifying identifyingObject: AnyObject)
  /// Resumes sending.
  func resume(withIdentifying identifyingObject: AnyObject)
}

/// Several channels; the modules have none.
public protocol ChannelGroupProtocol: ChannelProtocol {}

/// The statuses of HTTP answers.
public enum HTTPCodesNo: Int, Sendable {
  /// 100.
  case no100Continue = 100
  /// 101.
  case no101SwitchingProtocols = 101
  /// 102.
  case no102Processing = 102
  /// 200.
  case no200OK = 200
  /// 201.
  case no201Created = 201
  /// 202.
  case no202Accepted = 202
  /// 203.
  case no203NonAuthoritativeInformation = 203
  /// 204.
  case no204NoContent = 204
  /// 205.
  case no205ResetContent = 205
  /// 206.
  case no206PartialContent = 206
  /// 207.
  case no207MultiStatus = 207
  /// 208.
  case no208AlreadyReported = 208
  /// 226.
  case no226IMUsed = 226
  /// 300.
  case no300MultipleChoices = 300
  /// 301.
  case no301MovedPermanently = 301
  /// 302.
  case no302Found = 302
  /// 303.
  case no303SeeOther = 303
  /// 304.
  case no304NotModified = 304
  /// 305.
  case no305UseProxy = 305
  /// 307.
  case no307TemporaryRedirect = 307
  /// 308.
  case no308PermanentRedirect = 308
  /// 400.
  case no400BadRequest = 400
  /// 401.
  case no401Unauthorized = 401
  /// 402.
  case no402PaymentRequired = 402
  /// 403.
  case no403Forbidden = 403
  /// 404.
  case no404NotFound = 404
  /// 405.
  case no405MethodNotAllowed = 405
  /// 406.
  case no406NotAcceptable = 406
  /// 407.
  case no407ProxyAuthenticationRequired = 407
  /// 408.
  case no408RequestTimeout = 408
  /// 409.
  case no409Conflict = 409
  /// 410.
  case no410Gone = 410
  /// 411.
  case no411LengthRequired = 411
  /// 412.
  case no412PreconditionFailed = 412
  /// 413.
  case no413RequestEntityTooLarge = 413
  /// 414.
  case no414RequestURITooLong = 414
  /// 415.
  case no415UnsupportedMediaType = 415
  /// 416.
  case no416RequestedRangeNotSatisfiable = 416
  /// 417.
  case no417ExpectationFailed = 417
  /// 422.
  case no422UnprocessableEntity = 422
  /// 423.
  case no423Locked = 423
  /// 424.
  case no424FailedDependency = 424
  /// 426.
  case no426UpgradeRequired = 426
  /// 428.
  case no428PreconditionRequired = 428
  /// 429.
  case no429TooManyRequests = 429
  /// 431.
  case no431RequestHeaderFieldsTooLarge = 431
  /// 500.
  case no500InternalServerError = 500
  /// 501.
  case no501NotImplemented = 501
  /// 502.
  case no502BadGateway = 502
  /// 503.
  case no503ServiceUnavailable = 503
  /// 504.
  case no504GatewayTimeout = 504
  /// 505.
  case no505HTTPVersionNotSupported = 505
  /// 507.
  case no507InsufficientStorage = 507
  /// 508.
  case no508LoopDetected = 508
  /// 511.
  case no511NetworkAuthenticationRequired = 511
}
