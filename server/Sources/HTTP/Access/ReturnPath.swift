/// The page to open after a login: always a path on this server.
package enum ReturnPath {
  /// Returns the path if it is safe for a redirect, else `/`.
  ///
  /// `//host`, `/\host` and control characters could lead to other sites, or inject header fields.
  package static func checked(_ path: String?) -> String {
    guard let path, path.utf8.count <= 2_048, path.utf8.first == UInt8(ascii: "/") else { return "/" }
    let second = path.utf8.dropFirst().first
    guard second != UInt8(ascii: "/"), second != UInt8(ascii: "\\"),
      path.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
    else { return "/" }
    return path
  }
}
