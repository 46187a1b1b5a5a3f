import ServerBase
package import Warehouse

/// The state that a view keeps for one user from day to day: the last campaign, and values of user scope.
package struct UserState: Hashable, Sendable {
  /// The campaign that the user's hits named last.
  package struct Campaign: Hashable, Sendable {
    /// Source, medium and name.
    package var key: [String]
    /// The last time it was named.
    package var time: EventTime
  }

  package var campaign: Campaign?
  /// The values of custom dimensions of user scope, by parameter. The operator's definitions limit their number.
  package var values: [String: String] = [:]

  package var isEmpty: Bool { campaign == nil && values.isEmpty }
}

// MARK: - Stored form

extension UserState {
  /// The stored form. Equal states give equal bytes.
  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendVarint(UInt64(campaign?.key.count ?? 0))
    if let campaign {
      for part in campaign.key { bytes.append(text: part) }
      bytes.appendZigzag(campaign.time.milliseconds)
    }
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      bytes.append(text: name)
      bytes.append(text: value)
    }
    return bytes
  }

  /// Reads a stored form, or returns `nil` if it is invalid.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = ByteReader(bytes)
    guard let count = reader.varint(), count <= 3 else { return nil }
    if count > 0 {
      var key: [String] = []
      for _ in 0..<count {
        guard let part = reader.text() else { return nil }
        key.append(part)
      }
      guard let time = reader.zigzag() else { return nil }
      campaign = Campaign(key: key, time: EventTime(time))
    }
    while !reader.isAtEnd {
      guard let name = reader.text(), let value = reader.text() else { return nil }
      values[name] = value
    }
  }
}
