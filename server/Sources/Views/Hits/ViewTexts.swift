import ServerBase
import Warehouse

/// The number of a string in ``ViewTexts``.
struct TextID: Hashable, BitwiseCopyable {
  var number: UInt32
}

/// Strings with the same number in every ``ViewTexts``. The first 64 are parameter names.
enum KnownText: UInt32, CaseIterable {
  case t, cd, dp, ea, ec, el, ev, exd, exf, sc, av, an, aid, aiid, cs, cm, cn, ci, gclid, dm, sr, ul, utc, utv, utl, utt
  case sn, sa, st, pa, _s
  case unset, direct, none, google, cpc, zero, start, end, empty, exit, exitName
  case screen, event, all, exception, crash, model, system, resolution, language, country, hit, session, user, other
  case otherName, many

  var id: TextID { TextID(number: rawValue) }

  var text: String {
    switch self {
    case .unset: ViewHit.unset
    case .direct: "(direct)"
    case .none: "(none)"
    case .zero: "0"
    case .empty: ""
    case .exitName: "(exit)"
    case .otherName: Dimension.otherKey
    case .many: "\(ViewDayBuilder.deepest)+"
    default: "\(self)"
    }
  }

  /// The strings in order, followed by `00` to `23`.
  fileprivate static let seeds = allCases.map(\.text) + (0..<24).map(ViewDayBuilder.twoDigits)
  fileprivate static let firstNumber = UInt32(allCases.count)
}

/// Numbers the strings of hits, so that counting can compare and hash numbers. Equal bytes have equal numbers.
///
/// Not thread-safe.
package final class ViewTexts {
  /// The role of a parameter, determined by its name.
  enum Role: UInt8, BitwiseCopyable {
    case unknown, plain, dimension, contentGroup, metric, commerce
  }

  // Random, so that clients cannot provoke collisions.
  private static let seed = UInt64.random(in: 0...UInt64.max)
  private let table = ByteTable(seed: ViewTexts.seed)
  private var strings: [String?] = []
  private let roles = GrowingMemory(zero: Role.unknown)
  private let types = GrowingMemory(zero: ViewHitType.unknown)
  private var lowercased: [TextID: TextID] = [:]
  private var pairs: [ViewKey: TextID] = [:]

  package init() { for text in KnownText.seeds { _ = id(text) } }

  /// The number of strings.
  var count: Int { table.count }
  /// The approximate size of the strings in bytes.
  var byteCount: Int { table.size + strings.count * 16 + roles.count + types.count }

  @inline(__always)
  func id(_ bytes: UnsafeRawBufferPointer) -> TextID {
    let key = table.key(bytes)
    return TextID(number: UInt32(truncatingIfNeeded: table.find(bytes, key) ?? table.insert(bytes, key)))
  }

  /// The number of a string, or `nil` if it has none.
  func known(_ bytes: UnsafeRawBufferPointer) -> TextID? {
    table.find(bytes, table.key(bytes)).map { TextID(number: UInt32(truncatingIfNeeded: $0)) }
  }

  func id(_ text: String) -> TextID { withUTF8(text) { id($0) } }

  /// The two-digit string of a number from 0 to 23.
  static func twoDigits(_ number: Int) -> TextID { TextID(number: KnownText.firstNumber + UInt32(number)) }

  func bytes(_ id: TextID) -> UnsafeRawBufferPointer { table.string(Int(id.number)) }

  func string(_ id: TextID) -> String {
    let index = Int(id.number)
    if index >= strings.count { strings += repeatElement(nil, count: max(table.count, index + 1) - strings.count) }
    if let known = strings[index] { return known }
    let text = String(decoding: bytes(id), as: UTF8.self)
    strings[index] = text
    return text
  }

  /// The role of the parameter with this name.
  func role(_ id: TextID) -> Role {
    let index = Int(id.number)
    while index >= roles.count { roles.append(.unknown) }
    if roles.elements[index] == .unknown { roles.elements[index] = Self.role(bytes(id)) }
    return roles.elements[index]
  }

  private static func role(_ name: UnsafeRawBufferPointer) -> Role {
    if name.starts(with: "promo".utf8) || name.starts(with: "il".utf8) { return .commerce }
    guard name.count > 2, name[0] == UInt8(ascii: "c"), name[2...].allSatisfy({ (0x30...0x39).contains($0) }) else {
      return .plain
    }
    switch name[1] {
    case UInt8(ascii: "d"): return .dimension
    case UInt8(ascii: "g"): return .contentGroup
    case UInt8(ascii: "m"): return .metric
    default: return .plain
    }
  }

  /// The hit type that a value of `t` names.
  func type(_ id: TextID) -> ViewHitType {
    let index = Int(id.number)
    while index >= types.count { types.append(.unknown) }
    if types.elements[index] == .unknown { types.elements[index] = ViewHitType(string(id)) }
    return types.elements[index]
  }

  func lowercase(_ id: TextID) -> TextID {
    if let known = lowercased[id] { return known }
    let lower = self.id(string(id).lowercased())
    lowercased[id] = lower
    return lower
  }

  /// Two strings joined by a colon.
  func pair(_ left: TextID, _ right: TextID) -> TextID {
    if let known = pairs[ViewKey(left, right)] { return known }
    let pair = id("\(string(left)): \(string(right))")
    pairs[ViewKey(left, right)] = pair
    return pair
  }

  /// True if the left string precedes the right one byte by byte.
  func precedes(_ left: TextID, _ right: TextID) -> Bool { bytes(left).lexicographicallyPrecedes(bytes(right)) }
}

/// The hit types that counting distinguishes.
enum ViewHitType: UInt8, BitwiseCopyable {
  case unknown, screenview, pageview, event, exception, timing, transaction, item, social, other

  init(_ value: String) {
    switch value.lowercased() {
    case "screenview", "appview": self = .screenview
    case "pageview": self = .pageview
    case "event": self = .event
    case "exception": self = .exception
    case "timing": self = .timing
    case "transaction": self = .transaction
    case "item": self = .item
    case "social": self = .social
    default: self = .other
    }
  }
}
