// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import AppCenter
public import Foundation
import Tern
import TernEvents

// Tern has a device, too.
public import class AppCenter.Device

/// A file that goes with an error; at most 7 MiB.
#if canImport(ObjectiveC)
  @objcMembers
  @objc(MSACErrorAttachmentLog)
#endif
public final class ErrorAttachmentLog: AbstractLog {
  /// The file's name.
  public var filename: String!
  /// The file's bytes; without any nothing is sent.
  public var data: Data!
  /// The media type.
  public var contentType: String!

  /// Creates an attachment of bytes.
  public init!(filename: String!, attachmentBinary: Data!, contentType: String!) {
    self.filename = filename
    data = attachmentBinary
    self.contentType = contentType
    super.init()
  }

  /// Writes the attachment.
  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(filename as NSString?, forKey: "filename")
    coder.encode(data as NSData?, forKey: "data")
    coder.encode(contentType as NSString?, forKey: "contentType")
  }

  /// Reads an attachment.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
    filename = coder.decodeObject(of: NSString.self, forKey: "filename") as String?
    data = coder.decodeObject(of: NSData.self, forKey: "data") as Data?
    contentType = coder.decodeObject(of: NSString.self, forKey: "contentType") as String?
  }

  /// Creates an attachment of text.
  public convenience init!(filename: String!, attachmentText: String!) {
    self.init(filename: filename, attachmentBinary: attachmentText.map { Data($0.utf8) }, contentType: "text/plain")
  }

  /// Creates an attachment of text.
  public class func attachment(withText text: String!, filename: String!) -> ErrorAttachmentLog! {
    ErrorAttachmentLog(filename: filename, attachmentText: text)
  }

  /// Creates an attachment of bytes.
  public class func attachment(withBinary data: Data!, filename: String!, contentType: String!) -> ErrorAttachmentLog! {
    ErrorAttachmentLog(filename: filename, attachmentBinary: data, contentType: contentType)
  }

  /// `nil` without bytes.
  var file: TernClient.Attachment? {
    data.map { data in
      TernClient.Attachment(
        name: filename, contentType: contentType ?? "application/octet-stream", data: Array(data))
    }
  }
}

/// What is known of a crash.
#if canImport(ObjectiveC)
  @objcMembers
  @objc(MSACErrorReport)
#endif
public final class ErrorReport: NSObject {
  /// Names the report.
  public let incidentIdentifier: String!
  /// The signal that ended the process.
  public let signal: String!
  /// The exception's name.
  public let exceptionName: String!
  /// What the exception said.
  public let exceptionReason: String!
  /// When the process began, if that is known.
  public let appStartTime: Date!
  /// When the process ended.
  public let appErrorTime: Date!
  /// Names whoever reports.
  public var reporterKey: String! { AppCenter.installId.uuidString }
  /// The device and the app's version of then, if they are known.
  public let device: Device!
  /// The system's number of the process; 0 when unknown.
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

  /// Whether the process was killed, and did not crash.
  public func isAppKill() -> Bool { signal?.uppercased() == "SIGKILL" }

  private static func date(_ time: Timestamp) -> Date {
    Date(timeIntervalSince1970: Double(time.millisecondsSince1970) / 1000)
  }
}

/// One call on the stack.
#if canImport(ObjectiveC)
  @objcMembers
  @objc(MSACStackFrame)
#endif
public final class StackFrame: NSObject {
  /// The address.
  public var address: String?
  /// The symbol as the system writes it.
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

/// What an app knows of an error.
#if canImport(ObjectiveC)
  @objcMembers
  @objc(MSACExceptionModel)
#endif
public final class ExceptionModel: NSObject {
  /// The type, by which reports group.
  public var type: String!
  /// What it says.
  public var message: String!
  /// The stack as text.
  public var stackTrace: String!
  /// The stack.
  public var frames: [StackFrame]!
  /// What caused it.
  public var innerExceptions: [ExceptionModel]!
  /// The wrapper SDK that reports it.
  public var wrapperSdkName: String!

  /// Creates a description without anything.
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

  /// Creates a description of an error: its domain or type, what it says, and the stack of the caller.
  public init!(withError error: (any Error)!) {
    guard let error else { return nil }
    let facts = ExceptionFacts(error)
    // An error of Foundation is told apart by its domain: all have the same type.
    type = Swift.type(of: error) is NSError.Type ? (error as NSError).domain : facts.type
    message = facts.message
    // The frame that asks for the stack is the same in all errors, and would make them look alike.
    stackTrace = Thread.callStackSymbols.drop { $0.contains("callStackSymbols") }.joined(separator: "\n")
  }

  /// A collector refuses what has no type.
  private var named: String { type.map { $0.isEmpty ? "Exception" : $0 } ?? "Exception" }

  /// How deep causes of causes are recorded, and how many in all: they may be many, and even contain themselves.
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
