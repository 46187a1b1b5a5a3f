/// Where to go after a login: a path on this server and nothing else.
enum ReturnPath {
  /// The path if it is safe to send a browser to, else `/`.
  ///
  /// `//host`, `/\host` and control characters lead browsers to other sites, or into the answer's header.
  static func checked(_ path: String?) -> String {
    guard let path, path.utf8.count <= 2_048, path.utf8.first == UInt8(ascii: "/") else { return "/" }
    let second = path.utf8.dropFirst().first
    guard second != UInt8(ascii: "/"), second != UInt8(ascii: "\\"),
      path.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
    else { return "/" }
    return path
  }
}
