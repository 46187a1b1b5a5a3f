import ErrorGrouping
import Foundation
import Ingest
import TernBase
import Warehouse

/// Finds the names of the source for stacks of Java and Kotlin, in the mapping of an app's build.
///
/// It remembers the names of the last looks, and the indexes of the last mappings.
final class Retracer: Sendable {
  typealias Names = [RetracedName: [ResolvedFrame]]

  /// The most names of one stack that are looked up.
  private static let maximumNames = 2_000

  private let cache: ResolvedFrameCache
  private let indexes = Locked<[(hash: String, index: MappingIndex)]>([])

  init(cache: ResolvedFrameCache) { self.cache = cache }

  /// Returns what is remembered of the names in a stack; `nil` if something isn't.
  func known(_ names: Set<RetracedName>, in file: SymbolFile) -> Names? {
    var found: Names = [:]
    for name in names {
      guard let frames = cache[Self.key(name, file)] else { return nil }
      found[name] = frames
    }
    return found
  }

  /// Looks names up. Blocks the thread.
  ///
  /// - Returns: The names, and the reason if the mapping can't be read.
  func look(
    _ names: Set<RetracedName>, in file: SymbolFile, path: String, until deadline: ContinuousClock.Instant
  ) -> (found: Names, problem: String?) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return ([:], Self.problem(file, "it was deleted. Load the page again.")) }
    defer { close(descriptor) }
    do throws(ObjectError) {
      let source = ObjectSource(descriptor: descriptor)
      let known = indexes.withLock { $0.first { $0.hash == file.hash }?.index }
      let index = if let known { known } else { try MappingIndex(source) }
      remember(index, of: file)
      let found = try Mapping(source: source, index: index, deadline: deadline).frames(of: names)
      for (name, frames) in found { cache[Self.key(name, file)] = frames }
      return (found, nil)
    } catch {
      return ([:], Self.problem(file, error.message))
    }
  }

  /// The most indexes that are kept: builds of an app that are in use at the same time.
  private static let maximumIndexes = 64

  /// Keeps the index, and of the others those of the last looks that have no more classes together than one mapping can have.
  private func remember(_ index: MappingIndex, of file: SymbolFile) {
    indexes.withLock { indexes in
      indexes.removeAll { $0.hash == file.hash }
      indexes.append((file.hash, index))
      while indexes.count > 1, indexes.reduce(0, { $0 + $1.index.count }) > MappingIndex.maximumClasses {
        indexes.removeFirst()
      }
      if indexes.count > Self.maximumIndexes { indexes.removeFirst() }
    }
  }

  private static func key(_ name: RetracedName, _ file: SymbolFile) -> ResolvedFrameCache.Key {
    ResolvedFrameCache.Key(hash: file.hash, address: 0, name: name)
  }

  private static func problem(_ file: SymbolFile, _ reason: String) -> String {
    "The mapping of \(file.buildID) can't be used: \(reason)"
  }

  // MARK: Stacks

  /// Returns the calls and types of a stack that a mapping may name.
  static func names(in stack: ErrorStack) -> Set<RetracedName> {
    var names: Set<RetracedName> = []
    func add(_ name: RetracedName?) {
      if let name, names.count < maximumNames { names.insert(name) }
    }
    if !stack.type.isEmpty { add(RetracedName(className: stack.type)) }
    for thread in stack.threads {
      add(type(in: thread.name).map { RetracedName(className: String($0)) })
      for frame in thread.frames { add(name(of: frame)) }
    }
    return names
  }

  /// The call of a frame, or the type in a line of text.
  static func name(of frame: ErrorStack.Frame) -> RetracedName? {
    guard frame.function.isEmpty else {
      return ManagedCall(function: frame.function, file: frame.file, line: frame.line).map(RetracedName.init)
    }
    guard frame.image.isEmpty, !frame.text.isEmpty else { return nil }
    return ManagedCall(text: frame.text).map(RetracedName.init)
      ?? type(in: frame.text).map { RetracedName(className: String($0)) }
  }

  /// The type in `Caused by: a.b.c: message` and `a.b.c: message`.
  private static func type(in text: String) -> Substring? {
    let text =
      ["Caused by: ", "Suppressed: "].first { text.hasPrefix($0) }.map { text.dropFirst($0.count) } ?? text[...]
    let type = text.prefix { $0 != ":" }
    let isName = type.utf8.count <= 512 && !type.isEmpty && type.utf8.allSatisfy { $0 > 0x20 && $0 != 0x28 }
    return isName ? type : nil
  }

  /// Returns the stack with the types of exceptions in texts as the source has them. Calls are replaced by ``StackExpansion``.
  static func applied(_ names: Names, toTypesOf stack: ErrorStack) -> ErrorStack {
    func renamed(_ text: String) -> String? {
      guard let type = type(in: text), let name = names[RetracedName(className: String(type))]?.first else {
        return nil
      }
      return text.replacingCharacters(in: type.startIndex..<type.endIndex, with: name.function)
    }
    var stack = stack
    stack.type = names[RetracedName(className: stack.type)]?.first?.function ?? stack.type
    for thread in stack.threads.indices {
      stack.threads[thread].name = renamed(stack.threads[thread].name) ?? stack.threads[thread].name
      for frame in stack.threads[thread].frames.indices {
        let sent = stack.threads[thread].frames[frame]
        guard sent.function.isEmpty, sent.image.isEmpty, let text = renamed(sent.text) else { continue }
        stack.threads[thread].frames[frame].text = text
        stack.threads[thread].frames[frame].hasSymbols = true
      }
    }
    return stack
  }
}
