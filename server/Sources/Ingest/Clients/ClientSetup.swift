/// The code that makes a client of another system send to this server: what changes in a program.
package struct ClientSetup: Sendable, Hashable {
  /// The client, such as `PostHog for Python`.
  package var client: String
  package var code: String
  /// A requirement that the code doesn't show; `nil` without one.
  package var note: String?

  init(_ client: String, _ code: String, note: String? = nil) {
    (self.client, self.code, self.note) = (client, code, note)
  }

  /// The note of clients that can't speak http.
  static let httpsOnly = "Sends by https only, whatever the program says."
}

/// The server and the keys of an app, as the code of clients needs them.
package struct ClientTarget: Sendable {
  /// The address without a slash at its end, such as `https://tern.example.com:8443/app`.
  let address: String
  /// The part of the address before `://`.
  let scheme: String
  /// The rest of the address.
  let place: String
  /// The host without the port.
  let host: String
  let port: String
  private let keys: [String]

  /// - Parameter keys: The keys of the app; the code has the first one that the client can send.
  package init(address: String, keys: [String]) {
    self.keys = keys
    let text = String(address.reversed().drop { $0 == "/" }.reversed())
    let start = text.firstRange(of: "://")
    self.address = text
    scheme = start.map { String(text[..<$0.lowerBound]) } ?? "https"
    place = start.map { String(text[$0.upperBound...]) } ?? text
    let authority = place.prefix { $0 != "/" }
    let colon = authority.lastIndex(of: ":") ?? authority.endIndex
    let digits = authority[colon...].dropFirst()
    let hasPort = !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber }
    host = String(hasPort ? authority[..<colon] : authority)
    port = hasPort ? String(digits) : scheme == "http" ? "80" : "443"
  }

  /// Returns the first key of a form that the client insists on.
  ///
  /// - Parameter example: The text in its place if the app has no such key.
  func key(or example: String = "KEY", where fits: (String) -> Bool = { _ in true }) -> String {
    keys.first(where: fits) ?? example
  }

  /// The first key that can stand in an address, or in a list of headers, as it is. The app's own always can.
  var keyInAddress: String { key { $0.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) } } }
}

extension String {
  /// The text as a literal of Python or Go.
  var inDoubleQuotes: String { quoted("\"") }

  /// The text as a literal of Ruby, which looks for code in double quotes.
  var inSingleQuotes: String { quoted("'") }

  /// The text as a word of a shell.
  var inShellQuotes: String {
    unicodeScalars.reduce(into: "'") { $0 += $1 == "'" ? "'\\''" : String($1) } + "'"
  }

  private func quoted(_ quote: Unicode.Scalar) -> String {
    var text = String(quote)
    // By scalar: a quote before a combining mark is part of another character, but still ends the literal.
    for scalar in unicodeScalars {
      if scalar == quote || scalar == "\\" { text.unicodeScalars.append("\\") }
      text.unicodeScalars.append(scalar)
    }
    text.unicodeScalars.append(quote)
    return text
  }
}
