import TernBase
import TernEvents
import TernLog
public import TernValues

extension TernClient {
  /// A file attached to an error.
  public struct Attachment: Sendable, Hashable {
    /// The file's name, if it has one.
    public var name: String?
    /// The media type, for example `text/plain`.
    public var contentType: String
    /// The file's bytes, at most 7 MiB.
    public var data: [UInt8]

    /// Creates an attachment.
    public init(name: String? = nil, contentType: String = "application/octet-stream", data: [UInt8]) {
      self.name = name
      self.contentType = contentType
      self.data = data
    }

    /// Creates a UTF-8 text attachment.
    public init(name: String? = nil, text: String) {
      self.init(name: name, contentType: "text/plain", data: Array(text.utf8))
    }
  }

  /// Records a handled error; it survives the end of the process once this returns.
  ///
  /// The error's type and description are recorded; Swift errors carry no stack trace. Attachments larger than 7 MiB or
  /// the room left in the queue are left out. The others are written synchronously on the caller's thread.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - properties: Details of the error; none by default.
  ///   - fingerprint: Your own name for the group of the error: all errors with the same one are one group. Default: `nil`, so
  ///     that type, case and stack decide.
  ///   - attachments: Files that help to diagnose it; none by default.
  @discardableResult
  public func record(
    _ error: any Error, _ properties: Properties = [:], fingerprint: String? = nil, attachments: [Attachment] = []
  ) -> Receipt {
    var facts = ExceptionFacts(error)
    facts.fingerprint = fingerprint
    return record(facts, properties, attachments: attachments)
  }

  /// Records a handled error from facts that the app provides, such as a stack trace.
  ///
  /// The outermost stack frames are left out if the exception takes more than 48 KiB, or exceeds 64 KiB with its
  /// properties.
  @discardableResult
  public func record(
    _ exception: ExceptionFacts, _ properties: Properties = [:], attachments: [Attachment] = []
  ) -> Receipt {
    engine.record(.handledError, exception, properties, .normal, attachments)
  }

  /// Records a crash of an earlier process as a critical event: evicted last and sent first.
  ///
  /// The event carries that process's time, session, user and device; attachments carry the current ones.
  @discardableResult
  package func recordCrash(
    _ exception: ExceptionFacts, of launch: PreviousProcess, attachments: [Attachment] = []
  ) -> Receipt {
    engine.recordEarlier(.crash, exception, launch, attachments)
  }
}

extension ExceptionFacts {
  /// Creates the facts from a Swift error's type and description.
  public init(_ error: any Error) {
    self.init(type: String(reflecting: Swift.type(of: error)), message: String(describing: error))
  }
}

extension Engine {
  func record(
    _ kind: EventKind, _ exception: ExceptionFacts, _ properties: Properties, _ priority: Priority,
    _ attachments: [TernClient.Attachment]
  ) -> Receipt {
    let room = recorder.withLock { $0.room(besides: kind, exception.type, properties) }
    let details = exception.encodedMember(atMost: min(max(room, 1 << 10), 48 << 10))
    var receipt = record(kind, exception.type, properties, priority, details: details)
    if let error = receipt.id {
      receipt.refusedAttachments = record(
        attachments, of: error, besides: NativeProtocol.maximumEventBytes - room + details.count)
    }
    return receipt
  }

  /// Records the attachments of an error that takes `bytes` itself; returns the number left out.
  func record(_ attachments: [TernClient.Attachment], of error: UniqueID, besides bytes: Int) -> Int {
    var taken = bytes
    var refused = 0
    for attachment in attachments {
      if let bytes = record(attachment, of: error, besides: taken) {
        taken += bytes
      } else {
        refused += 1
      }
    }
    return refused
  }

  /// Records an attachment in pieces, each an event of its own.
  ///
  /// All pieces are recorded or none: an incomplete file is useless and would evict other events for nothing.
  ///
  /// - Parameter besides: The bytes of the error and its earlier attachments, which this one must not evict.
  /// - Returns: The bytes taken; `nil` if the attachment is left out.
  private func record(_ attachment: TernClient.Attachment, of error: UniqueID, besides: Int) -> Int? {
    guard attachment.data.count <= AttachmentPiece.maximumAttachmentBytes else { return refuseAttachment() }
    let id = recorder.withLock { UniqueID.random(using: &$0.generator) }
    let bare = AttachmentPiece(
      error: error, id: id, name: attachment.name, contentType: attachment.contentType, part: .max, parts: .max,
      data: [])
    let room = recorder.withLock { $0.room(besides: .attachment, "", [:]) } - bare.encodedMember().count
    let step = AttachmentPiece.bytes(encodedIn: room)
    let parts = max((attachment.data.count + step - 1) / step, 1)
    let bytes = parts * (NativeProtocol.maximumEventBytes - room + 4) + attachment.data.count / 3 * 4
    // The device facts may leave no room for data.
    let context = recorder.withLock { $0.errorContext() }
    guard room >= step, log.hasRoom(forNormal: parts, bytes: besides + bytes, context: context) else {
      return refuseAttachment()
    }
    for part in 0..<parts {
      var piece = bare
      (piece.part, piece.parts) = (part, parts)
      piece.data =
        attachment.data[
          min(part * step, attachment.data.count)..<min((part + 1) * step, attachment.data.count)]
      if record(.attachment, "", [:], .normal, details: piece.encodedMember()).id == nil { return nil }
    }
    return bytes
  }

  private func refuseAttachment() -> Int? {
    countDrop(.tooLarge)
    return nil
  }
}
