package import Ingest

/// A stored row with everything that belongs to it, texts and numbers: another store can be made from such rows alone.
package struct StoredRow: Sendable {
  /// A device, which many rows share.
  package struct Device: Sendable {
    package let id: Int64
    package let facts: IncomingDevice
    package let labels: DeviceLabels
    /// The dictionary's numbers of its texts, in the stored order; 0 for a text that is counted as "(other)". Empty for a
    /// device that is missing.
    package let texts: [Int64]

    package init(id: Int64, facts: IncomingDevice, labels: DeviceLabels, texts: [Int64]) {
      (self.id, self.facts, self.labels, self.texts) = (id, facts, labels, texts)
    }
  }

  package struct Property: Sendable {
    package let name: String
    /// The dictionary's number of the name; 0 if there was no room for it.
    package let nameID: Int64
    /// The stored tag of the value's type.
    package let type: UInt8
    /// The value: a text as it is, an exact number, `true` or `false`, or milliseconds since 1970.
    package let value: String

    package init(name: String, nameID: Int64, type: UInt8, value: String) {
      (self.name, self.nameID, self.type, self.value) = (name, nameID, type, value)
    }
  }

  package struct ErrorDetails: Sendable {
    package var id = ""
    /// The number of the error's group. Its message is that of its first error.
    package var group: Int64 = 0
    package var type = ""
    package var place = ""
    package var fingerprint: Int64 = 0
    package var message = ""
    package var stack = ""
    package var raw: [UInt8] = []
    /// False if the texts had to make room for newer ones.
    package var hasTexts = false

    package init() {}
  }

  /// An attachment of an error, or the piece of one that the row's event brought.
  package struct Attachment: Sendable {
    /// The ID of the error.
    package var error = ""
    package var id = ""
    package var file = ""
    package var contentType = ""
    /// The index of the piece, from 0.
    package var part: Int64 = 0
    /// The number of pieces.
    package var parts: Int64 = 0
    package var data: [UInt8] = []

    package init() {}
  }

  package let id: Int64
  package let app: Int64
  /// The civil day in the app's time zone, in days since 1970.
  package let day: Int
  /// In milliseconds since 1970, as all times here.
  package let time: Int64
  package let received: Int64
  package let kind: StoredKind
  /// All flags, with the kind among them.
  package let flags: Int64
  package let name: String
  /// The dictionary's number of the name; 0 if it is counted as "(other)".
  package let nameID: Int64
  package let install: String
  package let slot: UInt32
  package let session: Int64
  /// Empty if there is none.
  package let user: String
  /// The number of the user; `nil` if there is none, or if the person is being deleted.
  package let userNumber: UInt32?
  /// The key by which a second delivery is recognized.
  package let key: DuplicateKey?
  package let device: Device
  package let properties: [Property]
  /// The parameters of a hit; `nil` for rows that have no parameters of their own.
  package let parameters: [HitParameter]?
  package let error: ErrorDetails?
  /// `nil` if the event brought none, or it isn't kept any more.
  package let attachment: Attachment?

  package init(
    id: Int64, app: Int64, day: Int, time: Int64, received: Int64, kind: StoredKind, flags: Int64, name: String,
    nameID: Int64, install: String, slot: UInt32, session: Int64, user: String, userNumber: UInt32?,
    key: DuplicateKey?, device: Device, properties: [Property], parameters: [HitParameter]?, error: ErrorDetails?,
    attachment: Attachment? = nil
  ) {
    (self.id, self.app, self.day, self.time, self.received) = (id, app, day, time, received)
    (self.kind, self.flags, self.name, self.nameID) = (kind, flags, name, nameID)
    (self.install, self.slot, self.session) = (install, slot, session)
    (self.user, self.userNumber) = (user, userNumber)
    (self.key, self.device, self.properties) = (key, device, properties)
    (self.parameters, self.error, self.attachment) = (parameters, error, attachment)
  }
}
