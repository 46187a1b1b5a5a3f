package import ServerBase
import TernBase
import Warehouse

/// The stored form of a day that isn't final, from which counting continues after a restart.
///
/// It doesn't contain the order changes: these are read again from the hits of the users who have any.
extension ViewDayBuilder {
  /// Increase this whenever the counting rules change, so that no day is counted by two sets of rules.
  private static let version: UInt64 = 2

  /// Appends the stored form.
  package func encode(into bytes: inout [UInt8]) {
    bytes.appendVarint(Self.version)
    bytes.append(isReversible ? 1 : 0)
    for part in [day.encodedPresent, day.encodedMetrics] {
      bytes.appendVarint(UInt64(part.count))
      bytes += part
    }
    UserState.encode(day.changes.states, into: &bytes)
    tables.encode(into: &bytes)
    bytes.appendVarint(UInt64(transactions.count))
    for (id, count) in transactions {
      bytes.append(text: id)
      bytes.appendVarint(count.magnitude)
    }
    SlotSet(orders.buyers).encode(into: &bytes)
  }

  /// Decodes a stored form into this builder, which must not have counted any hits.
  ///
  /// - Returns: The users whose hits ``addOrders(of:_:)`` needs, or `nil` if the stored form has another version or is
  ///   damaged.
  package mutating func decode(_ reader: inout ByteReader) -> SlotSet? {
    guard reader.varint() == Self.version, let isReversible = reader.byte(), let presentSize = reader.varint(),
      let present = reader.bytes(Int(clamping: presentSize)), let metricsSize = reader.varint(),
      let metrics = reader.bytes(Int(clamping: metricsSize)), let day = ViewDay(present: present, metrics: metrics),
      let states = UserState.decode(&reader), tables.decode(&reader, isLimited: isReversible == 0),
      let count = reader.varint()
    else { return nil }
    self.day = day
    self.day.changes.states = states
    for _ in 0..<count {
      guard let id = reader.text(), let number = reader.varint() else { return nil }
      transactions[id] = SaturatingInt64(number)
    }
    return SlotSet.decode(&reader)
  }

  /// Adds the order changes of hits, and nothing else.
  package mutating func addOrders(of hits: [ViewHit], _ states: [UInt32: UserState]) {
    _ = orders.merge(entries(of: hits, states))
  }
}

extension DayTables {
  fileprivate func encode(into bytes: inout [UInt8]) {
    for table in ViewTable.allCases {
      tables[table.index].encode(texts, into: &bytes)
      others[table.index].encode(texts, into: &bytes)
    }
  }

  fileprivate mutating func decode(_ reader: inout ByteReader, isLimited: Bool) -> Bool {
    for index in ViewTable.allCases.map(\.index) {
      guard tables[index].decode(&reader, texts), others[index].decode(&reader, texts) else { return false }
    }
    self.isLimited = isLimited
    count = tables.reduce(0) { $0 + $1.count }
    return true
  }
}

extension CountingTable {
  fileprivate func encode(_ texts: ViewTexts, into bytes: inout [UInt8]) {
    var rows = 0
    forEach { _, _ in rows += 1 }
    bytes.appendVarint(UInt64(rows))
    forEach { key, row in
      for part in key.parts(table.parts) {
        bytes.appendVarint(UInt64(texts.bytes(part).count))
        bytes += texts.bytes(part)
      }
      for number in numbers(row) { bytes.append(number: number) }
      users(row).encode(into: &bytes)
    }
  }

  fileprivate mutating func decode(_ reader: inout ByteReader, _ texts: ViewTexts) -> Bool {
    guard let rows = reader.varint() else { return false }
    for _ in 0..<rows {
      var parts: [TextID] = []
      var numbers: [SaturatingInt64] = []
      for _ in 0..<table.parts {
        guard let size = reader.varint(), let bytes = reader.bytes(Int(clamping: size)) else { return false }
        parts.append(texts.id(bytes))
      }
      for _ in 0..<table.width {
        guard let number = reader.number() else { return false }
        numbers.append(number)
      }
      guard let users = SlotSet.decode(&reader) else { return false }
      add(ViewKey(parts), numbers, users)
    }
    return true
  }
}

extension UserState {
  /// Appends the encoded states of users.
  package static func encode(_ states: [UInt32: UserState], into bytes: inout [UInt8]) {
    bytes.appendVarint(UInt64(states.count))
    for (user, state) in states {
      let encoded = state.encoded
      bytes.appendVarint(UInt64(user))
      bytes.appendVarint(UInt64(encoded.count))
      bytes += encoded
    }
  }

  /// Decodes the states of users. Returns `nil` if they are damaged.
  package static func decode(_ reader: inout ByteReader) -> [UInt32: UserState]? {
    guard let count = reader.varint() else { return nil }
    var states: [UInt32: UserState] = [:]
    for _ in 0..<count {
      guard let user = reader.varint(), let size = reader.varint(), let bytes = reader.bytes(Int(clamping: size)),
        let state = UserState(bytes)
      else { return nil }
      states[UInt32(clamping: user)] = state
    }
    return states
  }
}
