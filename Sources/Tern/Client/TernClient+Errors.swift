import TernBase
public import TernEvents
import TernLog

extension TernClient {
  /// A file that goes with an error.
  public struct Attachment: Sendable, Hashable {
    /// The file's name, if it has one.
    public var name: String?
    /// The media type, for example `text/plain`.
    public var contentType: String
    /// The file's bytes; at most 7 MiB are recorded.
    public var data: [UInt8]

    /// Creates an attachment.
    public init(name: String? = nil, contentType: String = "application/octet-stream", data: [UInt8]) {
      self.name = name
      self.contentType = contentType
      self.data = data
    }

    /// Creates an attachment of text, in UTF-8.
    public init(name: String? = nil, text: String) {
      self.init(name: name, contentType: "text/plain", data: Array(text.utf8))
    }
  }

  /// Records an error that the app took care of; it survives the end of the process once this returns.
  ///
  /// Its type and what it says of itself are recorded; Swift keeps no stack in an error. Attachments larger than 7 MiB
  /// or than the queue can hold are left out; the others are written in pieces on the caller's thread, which takes as
  /// long as writing them does.
  ///
  /// - Parameters:
  ///   - error: What happened.
  ///   - properties: What there is to say about it; none by default.
  ///   - attachments: Files that help to understand it; none by default.
  @discardableResult
  public func record(
    _ error: any Error, _ properties: Properties = [:], attachments: [Attachment] = []
  ) -> Receipt {
    record(ExceptionFacts(error), properties, attachments: attachments)
  }

  /// Records an error that the app took care of, with what the app knows of it.
  ///
  /// An exception that takes more than 48 KiB, or than its properties leave of 64 KiB, loses the outer end of its stack.
  @discardableResult
  public func record(
    _ exception: ExceptionFacts, _ properties: Properties = [:], attachments: [Attachment] = []
  ) -> Receipt {
    engine.record(.handledError, exception, properties, .normal, attachments)
  }

  /// Records that an earlier process ended by an error; critical, so evicted last and sent first.
  ///
  /// The event carries the time, session, user and device of that process. What is attached belongs to this one.
  @discardableResult
  package func recordCrash(
    _ exception: ExceptionFacts, of launch: PreviousProcess, attachments: [Attachment] = []
  ) -> Receipt {
    engine.recordCrash(exception, launch, attachments)
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

  /// Records the files of an error, which takes so many bytes itself; returns how many of them were left out.
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

  /// Records a file in pieces, in order: each is an event of its own and well below the largest event.
  ///
  /// - Parameter besides: The bytes of what it belongs to and must not displace.
  /// - Returns: The bytes that it takes; `nil` when it is left out. A part of a file is of no use to anybody, and would
  ///   have displaced other events for nothing.
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
    // An event that the facts about the device fill carries nothing of a file.
    guard room >= step, log.hasRoom(forNormal: parts, bytes: besides + bytes) else { return refuseAttachment() }
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
