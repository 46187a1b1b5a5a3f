package import TernValues

extension String {
  /// Returns the longest prefix of whole characters with at most `limit` bytes of UTF-8.
  ///
  /// A single longer character is split between two Unicode scalars.
  package func truncated(toBytes limit: Int) -> String {
    // A native string stores its length, so text within the limit, which is nearly all text, costs nothing.
    if utf8.count <= limit { return self }
    guard let bound = utf8.index(startIndex, offsetBy: max(limit, 0), limitedBy: endIndex) else { return self }
    var end = startIndex
    while end < bound {
      let next = index(after: end)
      if next > bound { break }
      end = next
    }
    if end > startIndex || limit <= 0 { return String(self[..<end]) }
    while end < bound {
      let next = unicodeScalars.index(after: end)
      if next > bound { break }
      end = next
    }
    return String(unicodeScalars[..<end])
  }
}

extension Properties {
  /// Returns the properties within the protocol's limits: names and texts are truncated, and properties beyond
  /// ``NativeProtocol/maximumProperties`` are left out.
  package func limited() -> Properties {
    let isWithinLimits = elements.withUnsafeBufferPointer { elements in
      guard let first = elements.baseAddress else { return true }
      // Through a pointer: a loop over the elements copies each of them.
      return (0..<elements.count).allSatisfy { first[$0].isWithinLimits }
    }
    if isWithinLimits, elements.count <= NativeProtocol.maximumProperties { return self }
    return Properties(elements.prefix(NativeProtocol.maximumProperties).map(\.limited))
  }
}

extension Properties.Element {
  fileprivate var isWithinLimits: Bool {
    if name.utf8.count > NativeProtocol.maximumNameBytes { return false }
    if case .string(let text) = value { return text.utf8.count <= NativeProtocol.maximumValueBytes }
    return true
  }

  fileprivate var limited: Properties.Element {
    var limited = self
    limited.name = name.truncated(toBytes: NativeProtocol.maximumNameBytes)
    if case .string(let text) = value {
      limited.value = .string(text.truncated(toBytes: NativeProtocol.maximumValueBytes))
    }
    return limited
  }
}
