extension String {
  /// The text, cut between two characters so that it takes at most `limit` bytes of UTF-8.
  ///
  /// A single character longer than that is cut between two Unicode scalars.
  package func cut(toBytes limit: Int) -> String {
    // The count of a native string is stored, so text within the limit, which is nearly all, costs nothing.
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
  /// The properties within the limits of the protocol: names and text are cut, and what is beyond
  /// ``NativeProtocol/maximumProperties`` is left out.
  package func limited() -> Properties {
    if elements.count <= NativeProtocol.maximumProperties, elements.allSatisfy(\.isWithinLimits) { return self }
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
    limited.name = name.cut(toBytes: NativeProtocol.maximumNameBytes)
    if case .string(let text) = value { limited.value = .string(text.cut(toBytes: NativeProtocol.maximumValueBytes)) }
    return limited
  }
}
