import CTernJSON
import TernEvents

/// Collects the events of one JSON request and resolves each install and device once.
struct BatchBuilder {
  private(set) var batch: IncomingBatch
  let limits: IngestLimits
  private let key: DuplicateHashKey
  private let app: Int64
  /// The times that the protocol accepts.
  let window: ClosedRange<Timestamp>
  private var installIndexes: [ExactText: Int] = [:]
  private var hashers: [InstallHasher] = []
  private var deviceIndexes: [IncomingDevice: Int] = [:]
  private var lastDevice: (device: Int32, app: Int32, index: Int)?

  init(
    source: IngestProtocol, received: Timestamp, key: DuplicateHashKey, app: Int64, limits: IngestLimits, capacity: Int
  ) {
    batch = IncomingBatch(source: source, received: received)
    batch.events.reserveCapacity(capacity)
    self.limits = limits
    self.key = key
    self.app = app
    window = received - max(limits.maximumAge, .zero)...received + max(limits.maximumLead, .zero)
  }

  mutating func reject(_ reason: RejectionReason, _ record: tern_record) {
    batch.rejections.append(
      Rejection(reason, index: Int(record.index), id: record.id.string(limit: maximumInstallBytes)))
  }

  /// Rejects an unreadable event. Only its position is known.
  mutating func reject(_ reason: RejectionReason, at index: Int) {
    batch.rejections.append(Rejection(reason, index: index))
  }

  mutating func reject(_ rejection: Rejection) { batch.rejections.append(rejection) }

  mutating func append(_ event: IncomingEvent) { batch.append(event) }

  /// Adds an error to the event that was appended last.
  mutating func append(_ error: IncomingError) { batch.append(error) }

  /// Adds an attachment to the event that was appended last.
  mutating func append(_ attachment: IncomingAttachment) { batch.attachments.append(attachment) }

  /// Returns the reason to reject a time outside the protocol's window, or `nil` for a time within it.
  func rejectionReason(for time: Timestamp) -> RejectionReason? {
    if time < window.lowerBound { return .timeTooOld }
    return time > window.upperBound ? .timeInFuture : nil
  }

  /// Returns the index of an install, adding it if it is new.
  mutating func install(_ name: String) -> Int {
    let exact = ExactText(name)
    if let index = installIndexes[exact] { return index }
    installIndexes[exact] = batch.installs.count
    batch.installs.append(name)
    hashers.append(InstallHasher(key: key, app: app, install: name))
    return batch.installs.count - 1
  }

  func hasher(install: Int) -> InstallHasher { hashers[install] }

  /// Returns the index of a record's device.
  @inline(__always)
  mutating func device(of record: tern_record, in result: tern_result) -> Int {
    if let lastDevice, lastDevice.device == record.device, lastDevice.app == record.app { return lastDevice.index }
    return newDevice(of: record, in: result)
  }

  private mutating func newDevice(of record: tern_record, in result: tern_result) -> Int {
    let blocks = result.blockList
    let device = record.device < 0 ? tern_block() : blocks[Int(record.device)]
    let app = record.app < 0 ? device : blocks[Int(record.app)]
    let index = self.device(
      IncomingDevice(device, app: app, source: batch.source, limit: limits.maximumNameBytes))
    lastDevice = (record.device, record.app, index)
    return index
  }

  /// Returns the index of a device, adding it if it is new.
  mutating func device(_ device: IncomingDevice) -> Int {
    if let last = batch.devices.last, last == device { return batch.devices.count - 1 }
    if let index = deviceIndexes[device] { return index }
    deviceIndexes[device] = batch.devices.count
    batch.devices.append(device)
    return batch.devices.count - 1
  }

  /// Returns the properties of a record, truncated to the limits.
  func properties(of record: tern_record, in result: tern_result) -> [Properties.Element] {
    let properties = result.properties(of: record)
    guard !properties.isEmpty else { return [] }
    var elements: [Properties.Element] = []
    elements.reserveCapacity(properties.count)
    for property in properties where !property.name.isEmpty {
      elements.append(
        Properties.Element(
          name: property.name.string(limit: limits.maximumNameBytes),
          value: PropertyValue(property, limit: limits.maximumValueBytes)))
    }
    return elements
  }
}

/// The maximum length of an install or event ID that is not a UUID, in UTF-8 bytes.
let maximumInstallBytes = 64

extension PropertyValue {
  /// Creates the value of a property as parsed; text and raw JSON are truncated to `limit` bytes.
  fileprivate init(_ property: tern_property, limit: Int) {
    let value = property.value
    switch UInt32(value.kind) {
    case TERN_VALUE_INTEGER.rawValue where property.is_typed && equals(property.type.bytes, "double"):
      self = .double(Double(value.integer))
    case TERN_VALUE_INTEGER.rawValue: self = .integer(value.integer)
    case TERN_VALUE_DOUBLE.rawValue: self = .double(value.number)
    case TERN_VALUE_TRUE.rawValue: self = .boolean(true)
    case TERN_VALUE_FALSE.rawValue: self = .boolean(false)
    case TERN_VALUE_DATE.rawValue: self = .date(Timestamp(millisecondsSince1970: value.integer))
    case TERN_VALUE_NUMBER_TEXT.rawValue: self = .init(digits: value.text.string(limit: limit))
    case TERN_VALUE_TEXT.rawValue where property.is_typed && equals(property.type.bytes, "dateTime"):
      self = writtenTime(value.text.bytes).map { .date($0) } ?? .string(value.text.string(limit: limit))
    default: self = .string(value.text.string(limit: limit))
    }
  }

  /// Converts a number with more digits than a double can scale exactly. A number out of range stays text.
  private init(digits: String) {
    if let number = Double(digits), number.isFinite { self = .double(number) } else { self = .string(digits) }
  }
}

extension IncomingDevice {
  fileprivate init(_ device: tern_block, app: tern_block, source: IngestProtocol, limit: Int) {
    let locale = device.locale.string(limit: limit)
    var country = countryCode(device.country.string(limit: limit))
    if source == .appCenter {
      country = countryCode(device.carrierCountry.string(limit: limit))
      if country.isEmpty { country = region(ofLocale: locale) }
    }
    self.init(
      osName: device.osName.string(limit: limit), osVersion: device.osVersion.string(limit: limit),
      model: device.model.string(limit: limit), locale: locale, country: country,
      timeZoneOffsetMinutes: IncomingDevice.clamped(offset: device.timeZoneOffset),
      appVersion: app.appVersion.string(limit: limit), appBuild: app.appBuild.string(limit: limit),
      sdkName: device.sdkName.string(limit: limit), sdkVersion: device.sdkVersion.string(limit: limit))
  }
}

extension IncomingDevice {
  /// Returns the nearest offset that a device can have, in minutes: a day to either side of UTC.
  package static func clamped(offset minutes: some BinaryInteger) -> Int {
    min(max(Int(clamping: minutes), -1_440), 1_440)
  }
}
