/// A parameter's definition in the Measurement Protocol: its type, maximum length and highest index.
struct MeasurementParameter: Sendable {
  /// The types of values.
  enum Kind: Sendable { case text, integer, number, currency, boolean }

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
    var pattern = ""
    var highest = 0
    var isWithinRange = true
    var digits = ""
    func close() {
      guard !digits.isEmpty else { return }
      pattern += "#"
      let number = digits.utf8.count <= 3 && !digits.hasPrefix("0") ? Int(digits) ?? 0 : 0
      if number == 0 { isWithinRange = false }
      highest = max(highest, number)
      digits = ""
    }
    for character in name {
      if character.isASCII, character.isNumber {
        digits.append(character)
      } else {
        close()
        pattern.append(character)
      }
    }
    close()
    guard let found = all[pattern] else { return .unknown }
    guard pattern.contains("#") else { return .known(found) }
    return isWithinRange && highest <= (pattern == "cg#" ? 10 : 200) ? .known(found) : .indexOutOfRange
  }

  /// All parameters by name, with `#` for an index.
  private static let all: [String: MeasurementParameter] = {
    var all: [String: MeasurementParameter] = [:]
    func add(_ names: String, _ kind: Kind, _ limit: Int? = nil) {
      for name in names.split(separator: " ") { all[String(name)] = MeasurementParameter(kind: kind, limit: limit) }
    }
    add("v tid ds z cid uid sc uip ua geoid gclid dclid t linkid xvar _v _u _crc a dm idfa aclid anid gmob_t", .text)
    add("pr#cd# pa tcc pal pls col il#nm il#pi#id il#pi#nm il#pi#br il#pi#ca il#pi#va il#pi#cd#", .text)
    add("promo#id promo#nm promo#cr promo#ps promoa", .text)
    add("dr dl dp cd st", .text, 2_048)
    add("dt", .text, 1_500)
    add("ck cc ea el ti ta in ic iv pr#id pr#nm pr#br pr#ca pr#va pr#cc utv utl", .text, 500)
    add("aid aiid ec utc exd cd#", .text, 150)
    add("cn cs ci dh cg# an av", .text, 100)
    add("cm sn sa", .text, 50)
    add("xid", .text, 40)
    add("sr vp de sd ul fl", .text, 20)
    add("cu", .text, 10)
    add("aip npa je ni exf ate", .boolean)
    add("qt ev iq pr#qt pr#ps pr#cm# cos il#pi#ps il#pi#cm# utt plt dns pdt rrt tcp srt dit clt ht _s", .integer)
    add("tr ts tt ip pr#pr il#pi#pr", .currency)
    add("cm# sf", .number)
    return all
  }()
}

extension MeasurementParameter {
  /// Returns the normalized value, or `nil` if it is not of this type.
  func value(_ text: String) -> String? {
    switch kind {
    case .text: text
    case .boolean: text == "0" || text == "1" ? text : nil
    case .integer: Int64(text).map(String.init)
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
    let parts = unsigned.split(separator: ".", omittingEmptySubsequences: false)
    let areDigits = parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard parts.count <= 2, areDigits, unsigned.contains(where: \.isNumber), unsigned.utf8.count <= 32 else {
      return nil
    }
    return (text.hasPrefix("-") ? "-" : "") + unsigned
  }
}
