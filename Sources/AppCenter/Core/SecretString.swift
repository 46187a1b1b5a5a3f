/// A parsed secret string: `ios=…;macos=…`, `appsecret=…`, `target=…`, or a bare secret.
package struct SecretString: Sendable, Hashable {
  /// The app's secret; `nil` when there is none for this platform.
  package var secret: String?

  /// Parses a string.
  ///
  /// - Parameter platform: The name of this platform in it, for example `ios`.
  package init(_ text: String?, platform: String) {
    let parts = (text ?? "").split(separator: ";").map { $0.trimmed }
    let key = platform + "="
    let isForPlatforms = parts.contains { $0.hasPrefix(key) }
    for part in parts {
      // The token of a transmission target of One Collector.
      if part.hasPrefix("target=") { continue }
      if part.hasPrefix(key) {
        secret = secret ?? part.value
      } else if !isForPlatforms, !part.isForAnotherPlatform {
        secret = secret ?? part.value
      }
    }
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var text = self
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }

  /// The part after the name; `nil` when it is empty.
  fileprivate var value: String? {
    let names = ["appsecret=", "ios=", "macos=", "tvos=", "linux="]
    let value = names.first { hasPrefix($0) }.map { dropFirst($0.count) } ?? self
    return value.isEmpty ? nil : String(value)
  }

  fileprivate var isForAnotherPlatform: Bool {
    ["ios=", "macos=", "tvos=", "linux=", "android=", "uwp=", "windowsdesktop="].contains { hasPrefix($0) }
  }
}
