// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import AppCenter
public import Foundation
import Tern
import TernEvents

// Tern has a `Device`, too.
public import class AppCenter.Device

/// A file attached to an error; at most 7 MiB.
#if canImport(ObjectiveC)
  @objcMembers
  @objc(MSACErrorAttachmentLog)
#endif
public final class ErrorAttachmentLog: NSObject {
  /// The file's name.
  public var filename: String!
  /// The file's content; `nil` sends nothing.
  public var data: Data!
  /// The media type.
  public var contentType: String!

  /// Creates a binary attachment.
  public init!(filename: String!, attachmentBinary: Data!, contentType: String!) {
    self.filename = filename
    data = attachmentBinary
    self.contentType = contentType
  }

  /// Creates a text attachment.
  public convenience init!(filename: String!, attachmentText: String!) {
    self.init(filename: filename, attachmentBinary: attachmentText.map { Data($0.utf8) }, contentType: "text/plain")
  }

  /// Creates a text attachment.
  public class func attachment(withText text: String!, filename: String!) -> ErrorAttachmentLog! {
    ErrorAttachmentLog(filename: filename, attachmentText: text)
  }

  /// Creates a binary attachment.
  public class func attachment(withBinary data: Data!, filename: String!, contentType: String!) -> ErrorAttachmentLog! {
    ErrorAttachmentLog(filename: filename, attachmentBinary: data, contentType: contentType)
  }

  /// The attachment for the client; `nil` without content.
  var file: TernClient.Attachment? {
    data.map { data in
      TernClient.Attachment(
        name: filename, contentType: contentType ?? "application/octet-stream", data: Array(data))
    }
  }
}

/// A crash report.
#if canImport(ObjectiveC)
  @objcMembers
  @objc(MSACErrorReport)
#endif
public final class ErrorReport: NSObject {
  /// The identifier of the report.
  public let incidentIdentifier: String!
  /// The signal that ended the process.
  public let signal: String!
  /// The exception's name.
  public let exceptionName: String!
  /// The exception's reason.
  public let exceptionReason: String!
  /// The start of the process, if known.
  public let appStartTime: Date!
  /// The time of the crash.
  public let appErrorTime: Date!
  /// The identifier of the reporting installation.
  public var reporterKey: String! { AppCenter.installId.uuidString }
  /// The device and app version at that time, if known.
  public let device: Device!
  /// The process identifier; 0 when unknown.
  public let appProcessIdentifier: UInt

  init(_ report: CrashReport) {
    incidentIdentifier = report.id.description.uppercased()
    signal = report.signal
    exceptionName = report.exception.type
    exceptionReason = report.exception.message
    appStartTime = report.origin.launched.map(Self.date)
    appErrorTime = Self.date(report.origin.time)
    device = report.origin.device.map { Device($0) }
    appProcessIdentifier = report.processIdentifier
  }

  /// True if the process was killed rather than crashed.
  public func isAppKill() -> Bool { signal?.uppercased() == "SIGKILL" }

  private static func date(_ time: Timestamp) -> Date {
    Date(timeIntervalSince1970: Double(time.millisecondsSince1970) / 1000)
  }
}

/// A stack frame.
#if canImport(ObjectiveC)
  @objcMembers
  @objc(MSACStackFrame)
#endif
public final class StackFrame: NSObject {
  /// The address.
  public var address: String?
  /// The symbol as printed by the system.
  public var code: String?
  /// The class.
  public var className: String?
  /// The method.
  public var methodName: String?
  /// The line in the source file.
  public var lineNumber: NSNumber?
  /// The source file.
  public var fileName: String?

  var facts: ExceptionFacts.Frame {
    ExceptionFacts.Frame(
      className: className, methodName: methodName, fileName: fileName, lineNumber: lineNumber?.intValue,
      address: address, code: code)
  }
}

/// An app's description of an error.
#if canImport(ObjectiveC)
  @objcMembers
  @objc(MSACExceptionModel)
#endif
public final class ExceptionModel: NSObject {
  /// The type, by which reports are grouped.
  public var type: String!
  /// The message.
  public var message: String!
  /// The stack trace as text.
  public var stackTrace: String!
  /// The stack frames.
  public var frames: [StackFrame]!
  /// The underlying exceptions.
  public var innerExceptions: [ExceptionModel]!
  /// The wrapper SDK that reports it.
  public var wrapperSdkName: String!

  /// Creates an empty description.
  public override init() {}

  /// Creates a description from a type, a message and the lines of a stack.
  public init!(withType exceptionType: String!, exceptionMessage: String!, stackTrace: [String]!) {
    type = exceptionType
    message = exceptionMessage
    self.stackTrace = stackTrace?.joined(separator: "\n")
    frames = stackTrace?.map {
      let frame = StackFrame()
      frame.code = $0
      return frame
    }
  }

  /// Creates a description of an error: its domain or type, its message, and the caller's stack.
  public init!(withError error: (any Error)!) {
    guard let error else { return nil }
    let facts = ExceptionFacts(error)
    // Foundation's errors differ by domain: all have the same type.
    type = Swift.type(of: error) is NSError.Type ? (error as NSError).domain : facts.type
    message = facts.message
    // The frame of this call is the same in all errors and would make them look alike.
    stackTrace = Thread.callStackSymbols.drop { $0.contains("callStackSymbols") }.joined(separator: "\n")
  }

  /// The type, or a default, because the collector rejects errors without one.
  private var named: String { type.map { $0.isEmpty ? "Exception" : $0 } ?? "Exception" }

  /// Limits for nested causes, which may be many and even contain themselves.
  private static let maximumDepth = 8
  private static let maximumCauses = 128

  var facts: ExceptionFacts {
    var left = Self.maximumCauses
    return facts(depth: 0, &left)
  }

  private func facts(depth: Int, _ left: inout Int) -> ExceptionFacts {
    var causes: [ExceptionFacts] = []
    if depth < Self.maximumDepth {
      for cause in innerExceptions ?? [] where left > 0 {
        left -= 1
        causes.append(cause.facts(depth: depth + 1, &left))
      }
    }
    return ExceptionFacts(
      type: named, message: message, stackTrace: stackTrace, frames: (frames ?? []).map(\.facts),
      innerExceptions: causes, wrapperSdkName: wrapperSdkName)
  }
}
