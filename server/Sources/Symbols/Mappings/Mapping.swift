import ErrorGrouping
import Foundation
import TernBase

/// A call or the name of a class, as sent.
struct RetracedName: Hashable, Sendable {
  var className: String
  /// `nil` for the name of a class.
  var method: String?
  /// The line; 0 if unknown.
  var line = 0
  /// The source file as sent; empty if unknown.
  var file = ""

  /// The size of the texts.
  var bytes: Int { className.utf8.count + (method?.utf8.count ?? 0) + file.utf8.count }

  init(className: String) { self.className = className }

  init(_ call: ManagedCall) {
    (className, method, line, file) = (call.className, call.method, call.line, call.file)
  }
}

/// Finds names of the source in a mapping of R8 or ProGuard.
///
/// The only comment that counts is `sourceFile`. Frames of outlined code and those that R8 has made up stay as they are.
struct Mapping {
  /// The most lines of one method, and of all methods of a look, that are kept.
  private static let (maximumMethodLines, maximumLines) = (4_096, 65_536)
  /// The most comments after the line of a class that are searched for its source file: R8 writes it first.
  private static let maximumComments = 16
  /// The most calls that are inlined into each other at one line.
  private static let maximumFrames = 64

  let source: ObjectSource
  let index: MappingIndex
  /// The end of the time for a look; `nil` for no limit.
  var deadline: ContinuousClock.Instant?

  private var lines: MappingLines { MappingLines(source: source, deadline: deadline) }

  /// The memory of one look.
  private struct Look {
    var keptLines = 0
    /// The source files of classes.
    var files: [String: String] = [:]
  }

  /// Returns the calls at each name, the innermost first, or the class; none of names that the mapping doesn't have.
  ///
  /// - Throws: ``ObjectError`` if the file has changed, or the time is over.
  func frames(of names: Set<RetracedName>) throws(ObjectError) -> [RetracedName: [ResolvedFrame]] {
    var found: [RetracedName: [ResolvedFrame]] = [:]
    var look = Look()
    for (className, names) in Dictionary(grouping: names, by: \.className) {
      let blocks = try blocks(of: className, methods: Set(names.compactMap(\.method)), &look)
      for name in names {
        try lines.checkDeadline()
        found[name] = try frames(of: name, in: blocks, &look)
      }
    }
    return found
  }

  /// A class in the mapping, with those of its methods that are wanted.
  private struct Block {
    var original: String
    /// The lines of methods by shortened name, in their order.
    var methods: [String: [MappingLine.Method]] = [:]
  }

  /// Reads the classes of a shortened name. Several mappings in one file may each have one.
  private func blocks(
    of className: String, methods: Set<String>, _ look: inout Look
  ) throws(ObjectError) -> [Block] {
    let wanted = Dictionary(methods.map { (Array($0.utf8), $0) }) { first, _ in first }
    var blocks: [Block] = []
    var kept = look.keptLines
    for position in index.positions(shortened: className) {
      var block: Block?
      try lines.forEach(from: position, step: 64 << 10) { (line, place) throws(ObjectError) in
        if place == position {
          guard let head = MappingLine.classLine(line), head.shortened.elementsEqual(className.utf8) else {
            return false
          }
          block = Block(original: Self.text(head.original))
          return !methods.isEmpty
        }
        guard MappingLine.isInside(line) else { return false }
        guard let name = MappingLine.shortenedName(line), let method = wanted[Array(name.prefix(1_024))],
          block?.methods[method, default: []].count ?? 0 < Self.maximumMethodLines, kept < Self.maximumLines,
          let read = MappingLine.method(line)
        else { return true }
        block?.methods[method, default: []].append(read)
        kept += 1
        return true
      }
      if let block { blocks.append(block) }
    }
    look.keptLines = kept
    return blocks
  }

  private func frames(
    of name: RetracedName, in blocks: [Block], _ look: inout Look
  ) throws(ObjectError) -> [ResolvedFrame] {
    // Classes of one name in several mappings can't be told apart, unless only one has the method.
    let having = blocks.filter { block in name.method.map { block.methods[$0] != nil } ?? true }
    let candidates = having.isEmpty ? blocks : having
    guard let block = candidates.first, candidates.allSatisfy({ $0.original == block.original }) else { return [] }
    guard let method = name.method else { return [ResolvedFrame(function: block.original, file: "", line: 0)] }
    let methods = candidates.flatMap { $0.methods[method] ?? [] }
    let choices = Self.choices(methods, line: name.line)
    if choices.count == 1, choices[0][0].lines?.contains(name.line) != false {
      var frames: [ResolvedFrame] = []
      for choice in choices[0].prefix(Self.maximumFrames) {
        let owner = choice.className ?? block.original
        frames.append(
          ResolvedFrame(
            function: Self.text(owner, choice.name),
            file: try file(of: owner, name, isOwn: owner == block.original, &look), line: Self.line(choice, name)))
      }
      return frames
    }
    // The outermost calls are those that the shortened name stands for.
    let outer = choices.compactMap(\.last)
    let owners = Set(outer.map { $0.className ?? block.original })
    let owner = owners.count == 1 ? owners.first ?? block.original : block.original
    let readable = Set(outer.map(\.name)).count == 1 && owners.count == 1 ? outer[0].name : method
    let isListed = !outer.isEmpty
    return [
      ResolvedFrame(
        function: Self.text(owner, readable), file: try file(of: owner, name, isOwn: owner == block.original, &look),
        line: isListed || name.file.isEmpty ? 0 : name.line)
    ]
  }

  /// Returns the calls, inlined into each other, that a line may stand for. Lines of one range that follow each other are such calls.
  static func choices(_ methods: [MappingLine.Method], line: Int) -> [[MappingLine.Method]] {
    var groups: [[MappingLine.Method]] = []
    for method in methods {
      if method.lines != nil, groups.last?.last?.lines == method.lines {
        groups[groups.count - 1].append(method)
      } else {
        groups.append([method])
      }
    }
    let exact = groups.filter { $0[0].lines?.contains(line) == true }
    if !exact.isEmpty { return exact }
    let unlisted = groups.filter { $0[0].lines == nil }
    return unlisted.isEmpty ? groups : unlisted
  }

  /// Returns the line in the source; 0 if unknown.
  private static func line(_ method: MappingLine.Method, _ name: RetracedName) -> Int {
    guard let source = method.source else {
      // Without a file, runtimes count instructions in place of lines.
      return name.file.isEmpty ? 0 : name.line
    }
    guard let lines = method.lines, lines.contains(name.line) else {
      return method.lines == nil || source.first == source.last ? source.first : 0
    }
    return min(source.first + name.line - lines.lowerBound, max(source.first, source.last))
  }

  // MARK: Files

  /// Returns the source file of a class: from the comment of its class, or by its name, as retrace does.
  private func file(
    of className: String, _ name: RetracedName, isOwn: Bool, _ look: inout Look
  ) throws(ObjectError) -> String {
    let listed = if let known = look.files[className] { known } else { try listedFile(of: className) }
    look.files[className] = listed
    if !listed.isEmpty { return listed }
    let isNamed = name.file.hasSuffix(".java") || name.file.hasSuffix(".kt")
    if isOwn, isNamed { return name.file }
    let simple = className.split(separator: ".").last?.split(separator: "$").first.map(String.init) ?? className
    if simple.count > 2, simple.hasSuffix("Kt") { return "\(simple.dropLast(2)).kt" }
    return simple + (name.file.hasSuffix(".kt") ? ".kt" : ".java")
  }

  /// Returns the source file of a class from the comments after its line; empty if there is none.
  private func listedFile(of className: String) throws(ObjectError) -> String {
    for position in index.positions(original: className) {
      var (file, comments) = ("", 0)
      try lines.forEach(from: position, step: 4 << 10) { (line, place) throws(ObjectError) in
        if place == position { return MappingLine.classLine(line)?.original.elementsEqual(className.utf8) == true }
        guard MappingLine.isComment(line) else { return false }
        comments += 1
        file = Self.sourceFile(line) ?? ""
        return file.isEmpty && comments < Self.maximumComments
      }
      if !file.isEmpty { return file }
    }
    return ""
  }

  /// Reads `# {"id":"sourceFile","fileName":"Player.kt"}`.
  private static func sourceFile(_ line: UnsafeRawBufferPointer) -> String? {
    guard line.count <= 4_096, let open = line.firstIndex(of: 0x7B) else { return nil }
    let comment = try? JSONDecoder().decode(Comment.self, from: Data(line[open...]))
    return comment?.id == "sourceFile" ? comment?.fileName.map(ObjectFile.name) : nil
  }

  private struct Comment: Decodable {
    var id: String
    var fileName: String?
  }

  // MARK: Texts

  private static func text(_ className: String, _ method: String) -> String {
    "\(className).\(method)".prefix(utf8Bytes: SymbolizerOutput.maximumNameBytes)
  }

  private static func text(_ name: UnsafeRawBufferPointer) -> String { String(decoding: name, as: UTF8.self) }
}
