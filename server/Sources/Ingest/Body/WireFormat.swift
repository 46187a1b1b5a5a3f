import CTernJSON

/// The form of a protocol's JSON bodies, as a table for `CTernJSON`.
///
/// A protocol is defined by such a table and a parser that converts records to events. `@unchecked Sendable` because
/// its pointers lead to static strings and to tables that are never changed or freed.
struct WireFormat: @unchecked Sendable {
  let table: tern_protocol

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - list: The member that lists the records; `nil` if each line is a record.
  ///   - record: The members of a record.
  ///   - block: The members of a block, such as the description of the device.
  ///   - date: The only member of an object that stands for a date in milliseconds.
  ///   - rejectsSecondBlock: True to reject a record with two blocks of one name; otherwise the last one counts.
  init(
    list: StaticString? = nil, record: [tern_field], block: [tern_field], date: StaticString = "date",
    rejectsSecondBlock: Bool = false
  ) {
    var table = tern_protocol()
    if let list { table.list = tern_text(list) }
    (table.record_fields, table.record_field_count) = Self.kept(record)
    (table.block_fields, table.block_field_count) = Self.kept(block)
    table.date = tern_text(date)
    table.property_name = tern_text("name")
    table.property_type = tern_text("type")
    table.property_value = tern_text("value")
    table.rejects_second_block = rejectsSecondBlock
    self.table = table
  }

  /// Copies fields to memory that is never freed.
  private static func kept(_ fields: [tern_field]) -> (UnsafePointer<tern_field>?, UInt32) {
    precondition(fields.count <= Int(TERN_MAXIMUM_FIELDS) && fields.allSatisfy { $0.length <= TERN_MAXIMUM_FIELD_NAME })
    let copy = UnsafeMutableBufferPointer<tern_field>.allocate(capacity: fields.count)
    _ = copy.initialize(from: fields)
    return (UnsafePointer(copy.baseAddress), UInt32(fields.count))
  }
}

/// The positions of a record's strings.
enum RecordText: UInt8 {
  case type, name, id, session, user, install, boot
}

/// The positions of a record's other values.
enum RecordValue: UInt8 {
  case time, uptime
}

/// The positions of a record's blocks.
enum RecordBlock: UInt8 {
  case device, app
}

/// The positions of a block's strings.
enum BlockText: UInt8 {
  case osName, osVersion, model, locale, country, carrierCountry, appVersion, appBuild, sdkName, sdkVersion
}

extension tern_field {
  static func text(_ name: StaticString, _ slot: RecordText) -> tern_field {
    tern_field(name, TERN_FIELD_TEXT, slot.rawValue)
  }

  static func value(_ name: StaticString, _ slot: RecordValue) -> tern_field {
    tern_field(name, TERN_FIELD_VALUE, slot.rawValue)
  }

  static func block(_ name: StaticString, _ slot: RecordBlock) -> tern_field {
    tern_field(name, TERN_FIELD_BLOCK, slot.rawValue)
  }

  static func properties(_ name: StaticString) -> tern_field { tern_field(name, TERN_FIELD_PROPERTIES, 0) }

  static func typedProperties(_ name: StaticString) -> tern_field { tern_field(name, TERN_FIELD_TYPED_PROPERTIES, 0) }

  static func context(_ name: StaticString) -> tern_field { tern_field(name, TERN_FIELD_CONTEXT, 0) }

  static func blockText(_ name: StaticString, _ slot: BlockText) -> tern_field {
    tern_field(name, TERN_FIELD_TEXT, slot.rawValue)
  }

  static var timeZoneOffset: tern_field { tern_field("timeZoneOffset", TERN_FIELD_VALUE, 0) }

  private init(_ name: StaticString, _ kind: tern_field_kind, _ slot: UInt8) {
    self.init(
      name: name.utf8Start, length: UInt32(name.utf8CodeUnitCount), kind: UInt8(truncatingIfNeeded: kind.rawValue),
      slot: slot)
  }
}

extension tern_text {
  fileprivate init(_ name: StaticString) {
    self.init(start: name.utf8Start, length: UInt32(name.utf8CodeUnitCount))
  }
}

// In the order of `RecordText`, `RecordValue` and `RecordBlock`.
extension tern_record {
  var type: tern_text { texts.0 }
  var name: tern_text { texts.1 }
  var id: tern_text { texts.2 }
  var session: tern_text { texts.3 }
  var user: tern_text { texts.4 }
  var install: tern_text { texts.5 }
  var boot: tern_text { texts.6 }
  var time: tern_value { values.0 }
  /// Milliseconds since the device booted, or `nil` if absent or not an integer.
  var uptime: Int64? {
    UInt32(values.1.kind) == TERN_VALUE_INTEGER.rawValue && values.1.integer >= 0 ? values.1.integer : nil
  }
  /// The index of the block; -1 if absent.
  var device: Int32 { blocks.0 }
  /// The index of the block; -1 if absent.
  var app: Int32 { blocks.1 }
}

// In the order of `BlockText`.
extension tern_block {
  var osName: tern_text { texts.0 }
  var osVersion: tern_text { texts.1 }
  var model: tern_text { texts.2 }
  var locale: tern_text { texts.3 }
  var country: tern_text { texts.4 }
  var carrierCountry: tern_text { texts.5 }
  var appVersion: tern_text { texts.6 }
  var appBuild: tern_text { texts.7 }
  var sdkName: tern_text { texts.8 }
  var sdkVersion: tern_text { texts.9 }
  /// The offset from UTC in minutes, positive to the east; 0 if absent or not an integer.
  var timeZoneOffset: Int64 { UInt32(values.kind) == TERN_VALUE_INTEGER.rawValue ? values.integer : 0 }
}
