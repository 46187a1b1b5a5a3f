/// A parameter's definition in the Measurement Protocol: its type, maximum length and highest index.
struct MeasurementParameter: Sendable {
  /// The types of values.
  enum Kind: Sendable {
    case text, integer, number, currency, boolean
    /// An integer that isn't negative.
    case count
    /// Set if the parameter is sent, regardless of its value.
    case flag
    /// An IP address, of which the part that identifies one person isn't stored.
    case address
    /// A text of parts between slashes.
    case path

    /// True if the length is limited in bytes.
    var isText: Bool { self == .text || self == .path }
  }

  var kind: Kind
  /// The maximum length in UTF-8 bytes, or `nil` if the protocol has no limit.
  var limit: Int?

  /// The meaning of a name on the wire.
  enum Meaning: Sendable {
    case known(MeasurementParameter)
    /// A name such as `cd0` or `cd201`, whose index is out of range.
    case indexOutOfRange
    case unknown
  }

  /// Looks up a parameter by its name. Names are case-sensitive: `cd` is the screen, `cd1` to `cd200` are dimensions.
  static func named(_ name: String) -> Meaning {
    guard name.utf8.contains(where: isDigit) else { return plain[name].map(Meaning.known) ?? .unknown }
    let (pattern, highest) = pattern(of: name)
    guard let found = indexed[pattern] else { return .unknown }
    guard let highest, highest <= (pattern == "cg#" ? 10 : 200) else { return .indexOutOfRange }
    return .known(found)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  /// Returns a name with `#` for each index, and the highest index; `nil` if one of them begins with a zero.
  private static func pattern(of name: String) -> (name: String, highest: Int?) {
    var highest: Int? = 0
    let pattern = String(unsafeUninitializedCapacity: name.utf8.count) { pattern in
      var (count, index) = (0, 0)
      var wasDigit = false
      for byte in name.utf8 {
        let isDigit = isDigit(byte)
        if !isDigit || !wasDigit {
          pattern[count] = isDigit ? UInt8(ascii: "#") : byte
          count += 1
          index = 0
        }
        if isDigit {
          // All numbers of four digits are too high.
          index = min(index * 10 + Int(byte - UInt8(ascii: "0")), 1_000)
          highest = index == 0 ? nil : highest.map { max($0, index) }
        }
        wasDigit = isDigit
      }
      return count
    }
    return (pattern, highest)
  }

  /// The parameters whose names have no index.
  private static let plain: [String: MeasurementParameter] = {
    var all: [String: MeasurementParameter] = [:]
    func add(_ names: String, _ kind: Kind, _ limit: Int? = nil) { Self.add(names, kind, limit, to: &all) }
    add("v tid ds z cid uid sc ua geoid gclid dclid t linkid xvar _v _u _crc a dm idfa aclid anid gmob_t", .text)
    add("pa tcc pal pls col promoa", .text)
    add("dr dl dp cd st", .text, 2_048)
    add("dt", .text, 1_500)
    add("ck cc ea el ti ta in ic iv utv utl", .text, 500)
    add("aid aiid ec utc exd", .text, 150)
    add("cn cs ci dh an av", .text, 100)
    add("cm sn sa", .text, 50)
    add("xid", .text, 40)
    add("sr vp de sd ul fl", .text, 20)
    add("cu", .text, 10)
    add("uip", .address)
    add("aip", .flag)
    add("npa je ni exf ate", .boolean)
    add("qt ev", .count)
    add("iq cos utt plt dns pdt rrt tcp srt dit clt ht _s", .integer)
    add("tr ts tt ip", .currency)
    add("sf", .number)
    return all
  }()

  /// The others by name, with `#` for an index.
  private static let indexed: [String: MeasurementParameter] = {
    var all: [String: MeasurementParameter] = [:]
    func add(_ names: String, _ kind: Kind, _ limit: Int? = nil) { Self.add(names, kind, limit, to: &all) }
    add("pr#cd# il#nm il#pi#id il#pi#nm il#pi#br il#pi#ca il#pi#va il#pi#cd#", .text)
    add("promo#id promo#nm promo#cr promo#ps", .text)
    add("pr#id pr#nm pr#br pr#ca pr#va pr#cc", .text, 500)
    add("cd#", .text, 150)
    add("cg#", .path, 100)
    add("pr#qt pr#ps pr#cm# il#pi#ps il#pi#cm#", .integer)
    add("pr#pr il#pi#pr", .currency)
    add("cm#", .number)
    return all
  }()

  private static func add(_ names: String, _ kind: Kind, _ limit: Int?, to all: inout [String: MeasurementParameter]) {
    for name in names.split(separator: " ") { all[String(name)] = MeasurementParameter(kind: kind, limit: limit) }
  }
}

extension MeasurementParameter {
  /// Returns the normalized value, or `nil` if it is not of this type.
  func value(_ text: String) -> String? {
    switch kind {
    case .text: text
    case .boolean: text == "0" || text == "1" ? text : nil
    case .integer: Int64(text).map(String.init)
    case .count: Int64(text).flatMap { $0 < 0 ? nil : String($0) }
    case .flag: "1"
    case .address: Self.masked(text)
    case .path: text.split(separator: "/").joined(separator: "/")
    case .number: Self.decimal(text[...])
    case .currency: Self.currency(text)
    }
  }

  /// Parses an amount. Characters before the first digit, sign or point are ignored; six decimals are kept exactly.
  private static func currency(_ text: String) -> String? {
    guard let start = text.firstIndex(where: { $0.isASCII && $0.isNumber || $0 == "-" || $0 == "." }),
      let decimal = decimal(text[start...])
    else { return nil }
    guard let point = decimal.firstIndex(of: ".") else { return decimal }
    return String(
      decimal.prefix(upTo: decimal.index(point, offsetBy: 7, limitedBy: decimal.endIndex) ?? decimal.endIndex))
  }

  /// Returns a decimal number as written, without a plus sign.
  private static func decimal(_ text: Substring) -> String? {
    let unsigned = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text
    let points = unsigned.utf8.count { $0 == UInt8(ascii: ".") }
    let digits = unsigned.utf8.count(where: isDigit)
    guard points <= 1, digits > 0, points + digits == unsigned.utf8.count, unsigned.utf8.count <= 32 else { return nil }
    return (text.hasPrefix("-") ? "-" : "") + unsigned
  }

  /// Returns an address without the part that identifies one person: the last byte of an IPv4 address, or all but six
  /// bytes of an IPv6 address.
  static func masked(_ address: String) -> String {
    if address.contains(":") {
      let groups = address.split(separator: ":", omittingEmptySubsequences: false).prefix { !$0.isEmpty }.prefix(3)
      return groups.joined(separator: ":") + "::"
    }
    let parts = address.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 ? parts.prefix(3).joined(separator: ".") + ".0" : ""
  }
}
