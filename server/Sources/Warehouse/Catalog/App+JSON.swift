package import JSON

/// An app as the API and `tern apps` show it.
package struct ShownApp: Sendable {
  package var app: App
  /// The state of the latest change of its time zone.
  package var zoneChange: ZoneChange?
  /// The limit of new names that an operator has set; `nil` in lists, too.
  package var newNamesPerDay: Int?

  package init(_ app: App, zoneChange: ZoneChange? = nil, newNamesPerDay: Int? = nil) {
    (self.app, self.zoneChange, self.newNamesPerDay) = (app, zoneChange, newNamesPerDay)
  }

  package static let members: [JSONMember<ShownApp>] = [
    .shown("appSecret", .text) { .text($0.app.appSecret) },
    .shown("id", .count) { .integer($0.app.id.rawValue) },
    .shown("keep", KeepingPeriod.schema) { .text($0.app.keeping?.text ?? KeepingPeriod.foreverText) },
    .shown("key", .text) { .text($0.app.key) },
    .shown("name", .text) { .text($0.app.name) },
    .shownIfAny(
      "newNamesPerDay", .count.described("New names of each kind per day; missing if default, and in lists.")
    ) { shown in shown.newNamesPerDay.map { .integer($0) } },
    .shownIfAny(
      "recounting",
      .text.described(
        "After a change of the time zone, while days are being counted again: the progress, or why it has failed.")
    ) { shown in (shown.zoneChange?.text).map { .text($0) } },
    .shown("timeZone", .text) { .text($0.app.timeZone) },
    .shown("trackingId", .text) { .text($0.app.trackingID) },
    .shown("writeKeys", .list(.text)) { .array($0.app.writeKeys.map { .text($0) }) },
  ]
}

extension KeepingPeriod {
  fileprivate static let schema = Schema.pattern("^([1-9][0-9]{0,2}d|[1-9][0-9]?mo|forever)$")
    .described("The time for which rows are kept: days, months or forever.")

  /// A period as text; no value stands for ever.
  fileprivate static let codec = JSONCodec<KeepingPeriod?>(schema) { node throws(JSONFault) in
    let text = try node.text()
    do throws(WarehouseError) { return try reading(text) } catch { throw node.fault(error.message) }
  } encode: {
    .text($0?.text ?? foreverText)
  }
}

/// The members that a new app has, and that an app's owner can change.
extension AppChange {
  /// The members of a request that creates an app.
  package static let newMembers: [JSONMember<AppChange>] = [
    // Not trimmed: a name that begins or ends with a line break is refused.
    .required("name", \.newName, JSONCodec.text.specified(.text(1...100))), timeZone, appSecret, trackingID, writeKeys,
  ]

  /// The members of a request that changes an app.
  package static let members: [JSONMember<AppChange>] = [
    .optional("name", \.name, .name), timeZone, appSecret, trackingID, writeKeys,
    .change("newNamesPerDay", \.newNamesPerDay, .integer(0...100_000)).described(
      "New names of each kind per day once the app has reached its limit; null for the default."),
    .optional("keep", \.keeping, KeepingPeriod.codec),
  ]

  private static let timeZone = JSONMember<AppChange>.optional(
    "timeZone", \.timeZone, JSONCodec.text.specified(.text.example(.text("Europe/Berlin"))))
  private static let appSecret = JSONMember<AppChange>.optional(
    "appSecret", \.appSecret, JSONCodec.text.specified(.uuid))
  private static let trackingID = JSONMember<AppChange>.optional(
    "trackingId", \.trackingID, JSONCodec.text.specified(.pattern("^UA-[0-9]{4,10}-[0-9]{1,4}$")))

  private static let writeKeys = JSONMember<AppChange>.optional(
    "writeKeys", \.writeKeys, .list(.text(atMost: App.maximumWriteKeyBytes), 0...App.maximumWriteKeys)
  ).described("All keys of other systems that its clients may send.")

  private var newName: String {
    get { name ?? "" }
    set { name = newValue }
  }
}
