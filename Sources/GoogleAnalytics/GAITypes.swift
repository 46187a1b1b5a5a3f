import Foundation

/// The result of a dispatch.
#if canImport(ObjectiveC)
  @objc(GAIDispatchResult)
#endif
public enum GAIDispatchResult: UInt, Sendable {
  /// There was nothing to send, or no network.
  case noData = 0
  /// A request was sent; there may be more to send.
  case good = 1
  /// A request failed; its hits are kept.
  case error = 2
}

/// The log level; each level includes those before it.
#if canImport(ObjectiveC)
  @objc(GAILogLevel)
#endif
public enum GAILogLevel: UInt, Sendable {
  /// Nothing.
  case none = 0
  /// Failures.
  case error = 1
  /// Problems that the developer should fix.
  case warning = 2
  /// Normal steps.
  case info = 3
  /// Everything.
  case verbose = 4
}

/// Error codes; none is ever thrown.
public struct GAIErrorCode: RawRepresentable, Hashable, Sendable {
  /// The number.
  public var rawValue: UInt32

  /// Creates a code.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Creates a code.
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// There was no error.
public let kGAINoError = GAIErrorCode(0)
/// Hits could not be stored.
public let kGAIDatabaseError = GAIErrorCode(1)
/// Hits could not be sent.
public let kGAINetworkError = GAIErrorCode(2)

/// The name of the library that this one replaces.
public let kGAIProduct = "GoogleAnalytics"
/// The version of the library that this one replaces.
public let kGAIVersion = "3.17"
/// The domain of errors.
public let kGAIErrorDomain = "com.google.GoogleAnalytics"
