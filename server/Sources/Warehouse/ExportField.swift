/// A member of an exported row, or a column of the table of rows: its name, and the type that every export gives its values
/// (docs/export-format.md). Programs that guess types read identifiers as numbers, and guess differently for each file.
package struct ExportField: Sendable {
  /// The type of values.
  package indirect enum Kind: Sendable {
    /// A whole number of 64 bits.
    case integer
    /// A floating-point number; one that JSON can't write is a text, such as `"inf"`.
    case double
    /// True or false; 1 or 0 in CSV.
    case boolean
    case text
    /// JSON without a fixed form.
    case json
    case list(Kind)
    /// An object with these members, of which some may be absent.
    case object([ExportField])
  }

  package let name: String
  package let kind: Kind
  /// A sentence for people who read the schema.
  package let meaning: String

  init(_ name: String, _ kind: Kind, _ meaning: String = "") {
    (self.name, self.kind, self.meaning) = (name, kind, meaning)
  }
}

extension ExportField {
  /// The members of a row in NDJSON.
  package static let members = [
    ExportField("row", .integer), ExportField("kind", .text), ExportField("name", .text), ExportField("time", .integer),
    ExportField("microseconds", .integer), ExportField("received", .integer), ExportField("install", .text),
    ExportField("session", .text), ExportField("startsSession", .boolean), ExportField("measurement", .boolean),
    ExportField("user", .text),
    ExportField("key", .object([ExportField("time", .integer), ExportField("hash", .text)])),
    ExportField(
      "device",
      .object(
        [ExportField("timeZoneOffset", .integer)]
          + [
            "osName", "osVersion", "model", "locale", "country", "appVersion", "appBuild", "sdkName", "sdkVersion",
          ].map { ExportField($0, .text) })),
    ExportField(
      "properties",
      .list(
        .object([
          ExportField("name", .text), ExportField("string", .text), ExportField("integer", .integer),
          ExportField("double", .double), ExportField("boolean", .boolean), ExportField("date", .integer),
        ]))),
    ExportField("parameters", .list(.list(.text))), ExportField("error", .json),
  ]

  /// The columns of the table of rows, in their order.
  package static let columns = [
    ExportField("row", .integer, "The number of the row in its server."),
    ExportField("time", .integer, "The time of the event, in milliseconds since 1970."),
    ExportField("microseconds", .integer, "The microseconds of the event's time after the millisecond, if known."),
    ExportField("received", .integer, "The time of the receipt, in milliseconds since 1970."),
    ExportField("kind", .text, "The kind of the row."),
    ExportField("name", .text, "The name of the event or screen, otherwise the log type."),
    ExportField("install", .text, "The install: a UUID, or a client ID of the Measurement Protocol."),
    ExportField("user", .text, "The user ID that the app had set."),
    ExportField("session", .text, "The number of the session, in hexadecimal digits."),
    ExportField("starts_session", .boolean, "1 if a session began with this row, otherwise 0."),
    ExportField("os", .text, "The operating system."),
    ExportField("os_version", .text, "Its version."),
    ExportField("model", .text, "The model of the device."),
    ExportField("locale", .text, "The locale of the device."),
    ExportField("country", .text, "The country, in two letters; NA is Namibia."),
    ExportField("time_zone_offset", .integer, "The minutes by which the device's clock was ahead of UTC."),
    ExportField("app_version", .text, "The version of the app."),
    ExportField("app_build", .text, "The build of the app."),
    ExportField("sdk", .text, "The SDK that sent the row."),
    ExportField("sdk_version", .text, "Its version."),
    ExportField("properties", .json, "The properties as a JSON object."),
    ExportField("parameters", .json, "The parameters of a hit as a JSON object."),
  ]
}
