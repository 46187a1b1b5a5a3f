import Foundation

/// Reads a mapping of R8 or ProGuard line by line, without holding it in memory. It may be hostile.
struct MappingLines {
  /// The most bytes of a line. Comments hold JSON of some hundred kilobytes at most.
  static let maximumLineBytes = 1 << 20

  let source: ObjectSource
  /// The end of the time; `nil` for no limit.
  var deadline: ContinuousClock.Instant?

  /// Throws ``ObjectError`` if the time is over.
  func checkDeadline() throws(ObjectError) {
    if let deadline, .now >= deadline { throw ObjectError(.unreadable, "Reading it takes too long.") }
  }

  /// Calls `body` with each line, without its end, and its position, until it returns false.
  ///
  /// - Throws: ``ObjectError`` if a line is too long, the file became shorter, or the time is over.
  func forEach(
    from start: Int = 0, step: Int = maximumLineBytes,
    _ body: (_ line: UnsafeRawBufferPointer, _ position: Int) throws(ObjectError) -> Bool
  ) throws(ObjectError) {
    var (position, step) = (start, step)
    while position < source.count {
      try checkDeadline()
      let count = min(step, source.count - position)
      let part = try source.bytes(at: UInt64(position), count: UInt64(count), "a line").bytes
      let isLast = position + count == source.count
      let result: Result<Int?, ObjectError> = part.withUnsafeBytes { bytes in
        do throws(ObjectError) {
          return .success(try Self.lines(of: bytes, at: position, isLast: isLast, body))
        } catch {
          return .failure(error)
        }
      }
      guard let read = try result.get() else { return }
      if read == 0 {
        // The line is longer than this part.
        guard step < Self.maximumLineBytes else { throw .damaged("a line has more than 1 MiB") }
        step = Self.maximumLineBytes
      }
      position += read
    }
  }

  /// Returns the number of bytes that were read, or `nil` at the end.
  private static func lines(
    of bytes: UnsafeRawBufferPointer, at position: Int, isLast: Bool,
    _ body: (UnsafeRawBufferPointer, Int) throws(ObjectError) -> Bool
  ) throws(ObjectError) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    var start = 0
    while start < bytes.count {
      let found = memchr(base + start, 0x0A, bytes.count - start)
      guard found != nil || isLast else { return start }
      let end = found.map { UnsafeRawPointer($0) - base } ?? bytes.count
      var line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      if line.last == 0x0D { line = UnsafeRawBufferPointer(rebasing: line.dropLast()) }
      guard try body(line, position + start) else { return nil }
      start = end + 1
    }
    return min(start, bytes.count)
  }
}

/// A line of a mapping.
enum MappingLine {
  /// The line of a class, `com.example.Player -> a.b:`.
  struct ClassLine {
    var original: UnsafeRawBufferPointer
    var shortened: UnsafeRawBufferPointer
  }

  /// A line of a method, `1:5:void play(int):10:14 -> a`.
  struct Method {
    /// The lines of the shortened program; `nil` if the mapping has none.
    var lines: ClosedRange<Int>?
    /// The first and the last line of the source; `nil` if they are those of the program.
    var source: (first: Int, last: Int)?
    /// The class, if it is another one than that of the line.
    var className: String?
    var name: String
  }

  private static let arrow = Array(" -> ".utf8)
  private static let maximumNameBytes = 1_024

  /// Returns true for an empty line, a comment, and a line of a class's field or method.
  static func isInside(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let first = line.first else { return true }
    return first == 0x20 || first == 0x09 || first == 0x23
  }

  static func isComment(_ line: UnsafeRawBufferPointer) -> Bool {
    line.first { $0 != 0x20 && $0 != 0x09 } == 0x23
  }

  /// Reads the line of a class; returns `nil` for any other one.
  static func classLine(_ line: UnsafeRawBufferPointer) -> ClassLine? {
    guard !isInside(line), line.last == 0x3A, let place = lastArrow(line) else { return nil }
    let original = UnsafeRawBufferPointer(rebasing: line[..<place])
    let shortened = UnsafeRawBufferPointer(rebasing: line[(place + arrow.count)...].dropLast())
    guard isName(original), isName(shortened) else { return nil }
    return ClassLine(original: original, shortened: shortened)
  }

  private static func isName(_ name: UnsafeRawBufferPointer) -> Bool {
    (1...maximumNameBytes).contains(name.count) && name.allSatisfy { $0 > 0x20 && $0 != 0x3A && $0 != 0x28 }
  }

  /// Returns the shortened name in the line of a member; `nil` for any other one.
  static func shortenedName(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard line.first == 0x20 || line.first == 0x09, !isComment(line), let place = lastArrow(line) else { return nil }
    return UnsafeRawBufferPointer(rebasing: line[(place + arrow.count)...])
  }

  /// Returns where the last arrow begins.
  private static func lastArrow(_ line: UnsafeRawBufferPointer) -> Int? {
    var index = line.count - arrow.count - 1
    while index > 0 {
      if line[index + 2] == 0x3E, line[index..<index + arrow.count].elementsEqual(arrow) { return index }
      index -= 1
    }
    return nil
  }

  /// Reads the line of a method; returns `nil` for any other one, and for one with numbers of more than nine digits.
  static func method(_ line: UnsafeRawBufferPointer) -> Method? {
    guard let end = lastArrow(line), let open = line[..<end].firstIndex(of: 0x28),
      let close = line[..<end].lastIndex(of: 0x29), open < close
    else { return nil }
    var head = line[..<open].drop { $0 == 0x20 || $0 == 0x09 }
    guard let lines = numbers(&head, endWithColon: true) else { return nil }
    // The type of the result is before the name, which has no spaces.
    guard let space = head.lastIndex(of: 0x20) else { return nil }
    let name = head[(space + 1)...]
    guard isName(UnsafeRawBufferPointer(rebasing: name)) else { return nil }
    var tail = line[(close + 1)..<end]
    if tail.first == 0x3A { tail = tail.dropFirst() } else if !tail.isEmpty { return nil }
    guard let source = numbers(&tail, endWithColon: false), tail.isEmpty else { return nil }
    var method = Method(name: "")
    if let first = lines.first {
      let last = lines.dropFirst().first ?? first
      guard first <= last else { return nil }
      method.lines = first...last
    }
    if let first = source.first { method.source = (first, source.dropFirst().first ?? first) }
    let dot = name.lastIndex(of: 0x2E)
    method.name = String(decoding: dot.map { name[($0 + 1)...] } ?? name, as: UTF8.self)
    method.className = dot.map { String(decoding: name[..<$0], as: UTF8.self) }
    return method.name.isEmpty ? nil : method
  }

  /// Takes up to two numbers with a colon between them; returns `nil` for a number of more than nine digits.
  private static func numbers(_ text: inout Slice<UnsafeRawBufferPointer>, endWithColon: Bool) -> [Int]? {
    var numbers: [Int] = []
    while numbers.count < 2 {
      let digits = text.prefix { (0x30...0x39).contains($0) }
      guard !digits.isEmpty else { break }
      guard digits.count <= 9 else { return nil }
      let rest = text[digits.endIndex...]
      if endWithColon, rest.first != 0x3A { return nil }
      numbers.append(digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
      text = rest.first == 0x3A ? rest.dropFirst() : rest
      if rest.first != 0x3A { break }
    }
    return numbers
  }
}
