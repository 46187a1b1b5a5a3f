/// Splits bytes into JSON objects: the elements of arrays, or objects that follow each other, on lines or not.
///
/// It finds where objects begin and end, and leaves their contents to a decoder. After damage it goes on with the next
/// object: a line that begins with a brace begins one, since the objects contain no others.
struct JSONObjectReader {
  /// An object or damage, and the line at which it begins.
  enum Piece: Equatable {
    case object([UInt8], line: Int)
    case damage(String, line: Int)
  }

  private let maximumBytes: Int
  private let read: () throws -> [UInt8]
  private var buffer: [UInt8] = []
  private var position = 0
  private var line = 1
  private var object: [UInt8] = []
  private var start = 0
  private var depth = 0
  private var isInText = false
  private var isEscaped = false
  /// True after the end of a line, up to the first byte that isn't a space.
  private var isAtLineStart = false
  /// True after damage, up to the next line or object.
  private var isInDamage = false

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - maximumBytes: The maximum size of an object.
  ///   - read: Returns the next bytes; none at the end.
  init(maximumBytes: Int, read: @escaping () throws -> [UInt8]) {
    self.maximumBytes = maximumBytes
    self.read = read
  }

  /// Returns the next object or damage; `nil` at the end.
  mutating func next() throws -> Piece? {
    while true {
      while position < buffer.count {
        let byte = buffer[position]
        position += 1
        if let piece = depth == 0 ? outside(byte) : inside(byte) { return piece }
      }
      (buffer, position) = (try read(), 0)
      guard buffer.isEmpty else { continue }
      guard depth > 0 else { return nil }
      return damage("It has no end.")
    }
  }

  private mutating func outside(_ byte: UInt8) -> Piece? {
    switch byte {
    case UInt8(ascii: "{"): begin()
    case 0x0A:
      line += 1
      isInDamage = false
    // Separators between objects, and a byte order mark before them.
    case 0x20, 0x09, 0x0D, UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), 0xEF, 0xBB, 0xBF: break
    default:
      guard !isInDamage else { return nil }
      isInDamage = true
      return .damage("It isn't a JSON object.", line: line)
    }
    return nil
  }

  private mutating func begin() {
    (object, start, depth) = ([UInt8(ascii: "{")], line, 1)
    (isInText, isEscaped, isInDamage, isAtLineStart) = (false, false, false, false)
  }

  private mutating func inside(_ byte: UInt8) -> Piece? {
    if isAtLineStart, byte == UInt8(ascii: "{") {
      let piece = damage("It has no end.")
      begin()
      return piece
    }
    object.append(byte)
    if byte != 0x20, byte != 0x09, byte != 0x0D { isAtLineStart = byte == 0x0A }
    if byte == 0x0A {
      line += 1
      // A text can't contain the end of a line, so its own end is missing, and this line is the next object's.
      if isInText { return damage("A text in it has no closing quote.") }
    }
    if isInText {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInText = false
      }
    } else {
      switch byte {
      case UInt8(ascii: "\""): isInText = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    guard object.count <= maximumBytes else {
      isInDamage = true
      return damage("It is longer than \(maximumBytes) bytes.")
    }
    return depth == 0 ? .object(object, line: start) : nil
  }

  private mutating func damage(_ reason: String) -> Piece {
    (depth, object) = (0, [])
    return .damage(reason, line: start)
  }
}
