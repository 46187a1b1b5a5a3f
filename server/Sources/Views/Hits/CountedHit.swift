import Ingest
import ServerBase
import TernBase
import Warehouse

/// A hit in the form used for counting: its strings are numbers in the ``ViewTexts`` of its batch.
package struct CountedHit: BitwiseCopyable {
  var id: Int64
  var time: EventTime
  var sequence: SaturatingInt64 = 0
  var slot: UInt32
  /// The `uid`.
  var user = KnownText.empty.id
  /// An index into ``HitBatch/devices``.
  var device: UInt32
  /// The index of the hit's first parameter in ``HitBatch/parameters``.
  var start: Int
  var count = 0
  /// A bit for each well-known parameter that the hit has.
  var names: UInt64 = 0
  var type = ViewHitType.other
  /// True if the hit has custom dimensions, metrics or content groups.
  var hasCustom = false
  /// True if the hit has promotion or product list parameters.
  var hasLists = false
  var startsSession = false
  var endsSession = false
  var isCrash = false

  var isScreenView: Bool { type == .screenview || type == .pageview }
  /// True for an event with a category. An event hit without one only carries products.
  var isEvent: Bool { type == .event && has(.ea) }
  var isException: Bool { type == .exception }
  /// True if the hit may affect orders, products, promotions or lists.
  var isCommerce: Bool { hasLists || has(.pa) || type == .transaction || type == .item }

  @inline(__always)
  func has(_ name: KnownText) -> Bool { names & 1 << UInt64(name.rawValue) != 0 }

  /// The order in which a user's hits happened.
  @inline(__always)
  static func isBefore(_ left: CountedHit, _ right: CountedHit) -> Bool {
    (left.time, left.sequence, left.id) < (right.time, right.sequence, right.id)
  }
}

/// A batch of hits and the strings they share. Not thread-safe.
package final class HitBatch {
  struct Parameter: BitwiseCopyable {
    var name: TextID
    var value: TextID
  }

  struct Device {
    var facts: IncomingDevice
    var model: TextID
    var system: TextID
    var language: TextID
    var country: TextID
    var version: TextID
  }

  /// The number of well-known names that ``CountedHit/names`` has bits for.
  private static let namedBits = UInt32(64)

  let texts: ViewTexts
  private(set) var hits: [CountedHit] = []
  private(set) var devices: [Device] = []
  private let parameters = GrowingMemory(
    zero: Parameter(name: KnownText.empty.id, value: KnownText.empty.id))
  private var deviceNumbers: [IncomingDevice: UInt32] = [:]

  init(texts: ViewTexts = ViewTexts()) { self.texts = texts }

  /// Creates a batch from decoded hits.
  convenience init(_ hits: [ViewHit], texts: ViewTexts) {
    self.init(texts: texts)
    for hit in hits { add(hit) }
  }

  /// Creates a batch from decoded hits.
  package convenience init(_ hits: [ViewHit]) { self.init(hits, texts: ViewTexts()) }

  func add(_ hit: ViewHit) {
    var added = CountedHit(
      id: hit.id, time: hit.time, slot: hit.slot, user: texts.id(hit.user), device: number(of: hit.device),
      start: parameters.count)
    for (name, value) in hit.parameters { set(texts.id(name), texts.id(value), &added, isUnique: true) }
    finish(&added)
  }

  /// Adds a hit with parameters in their stored form.
  func add(_ raw: RawHits.Hit, user: UnsafeRawBufferPointer, parameters bytes: UnsafeRawBufferPointer, device: UInt32) {
    var hit = CountedHit(id: raw.id, time: EventTime(raw.time), slot: raw.slot, device: device, start: parameters.count)
    if !user.isEmpty { hit.user = texts.id(user) }
    var reader = ByteReader(bytes)
    // Most hits have the names of the hit before them.
    var expected = hits.last?.start ?? 0
    while !reader.isAtEnd {
      guard let nameLength = reader.varint(), let name = reader.bytes(Int(clamping: nameLength)),
        let valueLength = reader.varint(), let value = reader.bytes(Int(clamping: valueLength))
      else { break }
      set(id(name, expected: expected), texts.id(value), &hit, isUnique: false)
      expected += 1
    }
    finish(&hit)
  }

  /// The number of a parameter's name, probably the one at an index of ``parameters``.
  @inline(__always)
  private func id(_ name: UnsafeRawBufferPointer, expected: Int) -> TextID {
    if expected < parameters.count {
      let likely = parameters.elements[expected].name
      let bytes = texts.bytes(likely)
      if bytes.count == name.count, bytes.elementsEqual(name) { return likely }
    }
    return texts.id(name)
  }

  func number(of device: IncomingDevice) -> UInt32 {
    if let known = deviceNumbers[device] { return known }
    let system = [device.osName, device.osVersion].filter { !$0.isEmpty }.joined(separator: " ")
    devices.append(
      Device(
        facts: device, model: texts.id(device.model), system: texts.id(system),
        language: texts.id(device.locale.lowercased()), country: texts.id(device.country),
        version: texts.id(device.appVersion)))
    deviceNumbers[device] = UInt32(devices.count - 1)
    return UInt32(devices.count - 1)
  }

  @inline(__always)
  private func set(_ name: TextID, _ value: TextID, _ hit: inout CountedHit, isUnique: Bool) {
    // If a parameter is repeated, its last value counts.
    if !isUnique, let known = index(of: name, in: hit) {
      parameters.elements[known].value = value
      return
    }
    if name.number < Self.namedBits { hit.names |= 1 << UInt64(name.number) }
    parameters.append(Parameter(name: name, value: value))
    hit.count += 1
  }

  @inline(__always)
  private func index(of name: TextID, in hit: CountedHit) -> Int? {
    if name.number < Self.namedBits, hit.names & 1 << UInt64(name.number) == 0 { return nil }
    var index = hit.start
    while index < hit.start + hit.count {
      if parameters.elements[index].name == name { return index }
      index += 1
    }
    return nil
  }

  private func finish(_ hit: inout CountedHit) {
    for index in hit.start..<hit.start + hit.count {
      switch texts.role(parameters.elements[index].name) {
      case .dimension, .contentGroup, .metric: hit.hasCustom = true
      case .commerce: hit.hasLists = true
      case .plain, .unknown: break
      }
    }
    if let type = value(.t, hit) { hit.type = texts.type(type) }
    if let sequence = value(._s, hit) { hit.sequence = SaturatingInt64(texts.string(sequence)) ?? 0 }
    if let control = value(.sc, hit) {
      hit.startsSession = control == KnownText.start.id
      hit.endsSession = control == KnownText.end.id
    }
    hit.isCrash = hit.isException && value(.exf, hit) != KnownText.zero.id
    hits.append(hit)
  }
}

extension HitBatch {
  /// The value of a parameter.
  @inline(__always)
  func value(_ name: KnownText, _ hit: CountedHit) -> TextID? {
    guard hit.has(name) else { return nil }
    return index(of: name.id, in: hit).map { parameters.elements[$0].value }
  }

  /// The value of a parameter, or the placeholder for a missing value.
  @inline(__always)
  func text(_ name: KnownText, _ hit: CountedHit) -> TextID { value(name, hit) ?? KnownText.unset.id }

  func integer(_ name: KnownText, _ hit: CountedHit) -> SaturatingInt64? {
    value(name, hit).flatMap { SaturatingInt64(texts.string($0)) }
  }

  /// The value of the parameter with this name.
  func value(named name: TextID, _ hit: CountedHit) -> TextID? {
    index(of: name, in: hit).map { parameters.elements[$0].value }
  }

  func screen(_ hit: CountedHit) -> TextID { namedScreen(hit) ?? KnownText.unset.id }

  func namedScreen(_ hit: CountedHit) -> TextID? { value(.cd, hit) ?? value(.dp, hit) }

  func version(_ hit: CountedHit) -> TextID { value(.av, hit) ?? devices[Int(hit.device)].version }

  /// The app version, or the placeholder for a missing value.
  func namedVersion(_ hit: CountedHit) -> TextID { Self.named(version(hit)) }

  static func named(_ text: TextID) -> TextID { text == KnownText.empty.id ? KnownText.unset.id : text }

  /// Source, medium and campaign, or `nil` if the hit names none.
  func campaign(_ hit: CountedHit) -> ViewKey? {
    let names = [KnownText.cs, .cm, .cn, .ci, .gclid].reduce(UInt64(0)) { $0 | 1 << UInt64($1.rawValue) }
    guard hit.names & names != 0 else { return nil }
    let isPaid = hit.has(.gclid)
    let source = value(.cs, hit) ?? (isPaid ? KnownText.google.id : nil)
    let medium = value(.cm, hit) ?? (isPaid ? KnownText.cpc.id : nil)
    let name = value(.cn, hit) ?? value(.ci, hit)
    // A direct visit keeps the user's previous campaign.
    guard source ?? medium ?? name != nil, source != KnownText.direct.id else { return nil }
    let unset = KnownText.unset.id
    return ViewKey(source ?? unset, medium ?? unset, name ?? unset)
  }

  /// A custom dimension, metric or content group of a hit.
  struct Custom {
    var role: ViewTexts.Role
    var name: TextID
    var value: TextID
  }

  /// The hit's custom parameters, sorted by name, because values are counted in that order.
  func customs(_ hit: CountedHit) -> [Custom] {
    guard hit.hasCustom else { return [] }
    var found: [Custom] = []
    for parameter in parameters.elements[hit.start..<hit.start + hit.count] {
      let role = texts.role(parameter.name)
      guard role == .dimension || role == .contentGroup || role == .metric else { continue }
      found.append(Custom(role: role, name: parameter.name, value: parameter.value))
    }
    if found.count > 1 { found.sort { texts.precedes($0.name, $1.name) } }
    return found
  }

  /// Returns the hit in its decoded form.
  func stored(_ hit: CountedHit) -> ViewHit {
    var texts: [String: String] = [:]
    for parameter in parameters.elements[hit.start..<hit.start + hit.count] {
      texts[self.texts.string(parameter.name)] = self.texts.string(parameter.value)
    }
    return ViewHit(
      id: hit.id, time: hit.time.milliseconds, received: hit.time.milliseconds, slot: hit.slot,
      user: self.texts.string(hit.user),
      device: devices[Int(hit.device)].facts, parameters: texts)
  }

  /// Calls `body` with each user's hits, in the order in which they happened.
  func byUser(_ body: (_ slot: UInt32, _ hits: ArraySlice<CountedHit>) -> Void) {
    func isBefore(_ left: CountedHit, _ right: CountedHit) -> Bool {
      left.slot == right.slot ? CountedHit.isBefore(left, right) : left.slot < right.slot
    }
    // Stored hits mostly are in order, and moving hits is expensive.
    let isOrdered = hits.indices.dropFirst().allSatisfy { !isBefore(hits[$0], hits[$0 - 1]) }
    let ordered = isOrdered ? hits : hits.sorted(by: isBefore)
    var start = 0
    while start < ordered.count {
      var end = start + 1
      while end < ordered.count, ordered[end].slot == ordered[start].slot { end += 1 }
      body(ordered[start].slot, ordered[start..<end])
      start = end
    }
  }
}
