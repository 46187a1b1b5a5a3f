package import ErrorGrouping

/// The details of a handled error or a crash.
package struct IncomingError: Sendable, Hashable {
  /// The position of its event in `IncomingBatch.events`.
  package var event: Int
  /// The ID by which attachments refer to it: a lowercase UUID, or other text as sent; empty if it has none.
  package var id: String
  /// The exception's type; for a crash without one, the signal.
  package var type: String
  /// The exception's message.
  package var message: String
  /// The top stack frame, without line number and address; empty if there is no stack.
  package var place: String
  /// The stack as text, up to ``maximumStackBytes`` long.
  package var stack: String
  /// The hash of the signature, under which it is stored.
  package var fingerprint: Int64
  /// All that can decide on the error's group; `nil` for one that stays in the group of its fingerprint.
  package var signature: Signature?
  /// The error as sent, up to ``maximumRawBytes`` long.
  package var raw: [UInt8]
  /// True if its message, stack and raw text had been removed before it was exported.
  package var isTextRemoved = false

  /// The maximum length of a stored stack, in bytes.
  package static let maximumStackBytes = 64 << 10
  /// The maximum length of a stored error as sent, in bytes.
  package static let maximumRawBytes = 256 << 10

  package init(
    event: Int, id: String = "", type: String, message: String = "", place: String = "", stack: String = "",
    fingerprint: Int64, raw: [UInt8] = []
  ) {
    self.event = event
    self.id = id
    self.type = type
    self.message = message
    self.place = place
    self.stack = stack
    self.fingerprint = fingerprint
    self.raw = raw
  }
}

/// A file that belongs to an error, or a piece of one.
package struct IncomingAttachment: Sendable, Hashable {
  /// The position of its event in `IncomingBatch.events`.
  package var event: Int
  /// The ID of its event as sent, for rejections.
  package var eventID: String
  /// The ID of its error, in the form of ``IncomingError/id``.
  package var error: String
  /// Its own ID, in the same form.
  package var id: String
  /// The file name; empty if it has none.
  package var name: String
  /// The media type according to the client.
  package var contentType: String
  /// The index of this piece, counted from 0.
  package var part: Int
  /// The number of pieces.
  package var parts: Int
  /// The bytes of this piece.
  package var data: [UInt8]

  /// The maximum size of an attachment in bytes, equal to App Center's.
  package static let maximumBytes = 7 << 20
  /// The maximum number of pieces of one attachment.
  package static let maximumParts = 1_024

  /// Creates an attachment.
  package init(
    event: Int, eventID: String, error: String, id: String, name: String = "", contentType: String = "", part: Int = 0,
    parts: Int = 1, data: [UInt8]
  ) {
    self.event = event
    self.eventID = eventID
    self.error = error
    self.id = id
    self.name = name
    self.contentType = contentType
    self.part = part
    self.parts = parts
    self.data = data
  }
}
