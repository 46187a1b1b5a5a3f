/// The files used by pages, at `/assets/<name>`.
package enum PortalAssets {
  /// One file.
  package struct Asset: Sendable, Hashable {
    /// The media type.
    package var contentType: String
    /// The content.
    package var bytes: [UInt8]
    /// A strong entity tag with its quotes; changes with the content.
    package var etag: String
  }

  /// Returns the file with a name, or `nil` if there is none.
  package static func asset(named name: String) -> Asset? { assets[name] }

  /// Returns the address of a file, including its version, so that clients can cache it indefinitely.
  static func link(_ name: String) -> String {
    let version = assets[name]?.etag.filter { $0 != "\"" } ?? ""
    return "/assets/\(name)?v=\(version)"
  }

  static let assets: [String: Asset] = [
    "tern.css": asset("text/css; charset=utf-8", "tern.css"),
    "dark.css": asset("text/css; charset=utf-8", "dark.css"),
    "shell.js": asset(
      "text/javascript; charset=utf-8", "shell.js", "palette.js", "tables.js", "calendar.js", "charts.js"),
    "builder.js": asset("text/javascript; charset=utf-8", "builder.js"),
    "live.js": asset("text/javascript; charset=utf-8", "live.js"),
    "dashboard.js": asset("text/javascript; charset=utf-8", "refresh.js", "dashboard.js"),
    "refresh.js": asset("text/javascript; charset=utf-8", "refresh.js"),
    "favicon.svg": asset("image/svg+xml", "favicon.svg"),
  ]

  private static func asset(_ contentType: String, _ files: String...) -> Asset {
    let bytes = files.flatMap { Array((EmbeddedFiles.assets[$0] ?? "").utf8) }
    // FNV-1a: the tag must change with the content, but needn't resist attacks.
    let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    return Asset(contentType: contentType, bytes: bytes, etag: "\"\(String(hash, radix: 16))\"")
  }
}
