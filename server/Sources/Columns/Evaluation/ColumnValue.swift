import Ingest
import Questions
import ServerBase

/// A value as a chunk stores it.
enum ColumnValue {
  case none
  case number(Double)
  case text(UnsafeRawBufferPointer)
  /// The number of a unit of time.
  case unit(Int)
  case install(UInt32)
  case user(UInt32)
}

/// A condition on a value, prepared for many values.
struct ValuePredicate {
  private enum Kind {
    case oneOf(isNegated: Bool)
    case contains
    case compare(QuestionFilter.Comparison, Double)
    case isSet(Bool)
  }

  private let kind: Kind
  private var texts: [[UInt8]] = []
  private var numbers: [Double] = []

  init(oneOf values: [QuestionValue], isNegated: Bool) {
    kind = .oneOf(isNegated: isNegated)
    texts = values.compactMap { $0.text.map { Array($0.utf8) } }
    numbers = values.compactMap(\.number)
  }

  init(contains texts: [String]) {
    kind = .contains
    self.texts = texts.map { Array($0.utf8) }
  }

  init(_ comparison: QuestionFilter.Comparison, _ limit: Double) { kind = .compare(comparison, limit) }

  init(isSet: Bool) { kind = .isSet(isSet) }

  /// Returns true if a value passes. Values other than numbers and texts must have been converted.
  func passes(_ value: ColumnValue) -> Bool {
    switch (kind, value) {
    case (.oneOf(let isNegated), .number(let number)): numbers.contains(number) != isNegated
    case (.oneOf(let isNegated), .text(let text)): texts.contains { text.elementsEqual($0) } != isNegated
    case (.oneOf(let isNegated), _): isNegated
    case (.contains, .text(let text)): texts.contains { Self.contains(text, $0) }
    case (.compare(let comparison, let limit), .number(let number)): comparison.holds(number, limit)
    case (.contains, _), (.compare, _): false
    case (.isSet(let wanted), .none): !wanted
    case (.isSet(let wanted), _): wanted
    }
  }

  private static func contains(_ text: UnsafeRawBufferPointer, _ part: [UInt8]) -> Bool {
    guard let first = part.first else { return true }
    guard text.count >= part.count else { return false }
    for start in 0...text.count - part.count
    where text[start] == first && text[start..<start + part.count].elementsEqual(part) {
      return true
    }
    return false
  }
}

/// The distinct values of one dimension in an answer, numbered as they occur; 0 stands for no value.
final class ValueNumbers {
  private enum Stored {
    case none
    case number(Double)
    case text(Int)
    case bin(Int, String)
    case unit(Int)
    case install(UInt32)
    case user(UInt32)
  }

  private let group: QueryQuestion.Group
  private var values: [Stored] = [.none]
  private let texts = ByteTable(seed: 0x7465_726E)
  private var textNumbers: [Int] = []
  private let others = PairTable()
  private var otherNumbers: [Int] = []
  private var bins: [Int?]

  init(_ group: QueryQuestion.Group) {
    self.group = group
    bins = Array(repeating: nil, count: group.bins.isEmpty ? 0 : group.bins.count + 1)
  }

  convenience init(_ dimension: QuestionDimension) { self.init(QueryQuestion.Group(dimension)) }

  var count: Int { values.count }
  var byteCount: Int { values.count * 48 + texts.size }

  /// Returns the number of a value or, if the dimension has bins, of its bucket.
  func number(_ value: ColumnValue) -> Int {
    switch value {
    case .none: return 0
    case .number(let number):
      if !bins.isEmpty { return bin(of: number) }
      return other(0, number.bitPattern, .number(number))
    case .text(let text):
      guard bins.isEmpty else { return 0 }
      let key = texts.key(text)
      if let known = texts.find(text, key) { return textNumbers[known] }
      textNumbers.append(add(.text(texts.insert(text, key))))
      return values.count - 1
    case .unit(let unit): return other(1, UInt64(bitPattern: Int64(unit)), .unit(unit))
    case .install(let number): return other(2, UInt64(number), .install(number))
    case .user(let number): return other(3, UInt64(number), .user(number))
    }
  }

  private func bin(of number: Double) -> Int {
    let index = group.bins.firstIndex { number < $0 } ?? group.bins.count
    return bins[index] ?? add(bin: index, named: group.bucket(of: .number(number))?.text ?? "")
  }

  private func add(bin index: Int, named name: String) -> Int {
    let new = add(.bin(index, name))
    bins[index] = new
    return new
  }

  /// Adds the values of another part; returns the number that each has here.
  func adopt(_ other: ValueNumbers) -> [Int] {
    other.values.map { value in
      switch value {
      case .none: 0
      case .number(let number): self.number(.number(number))
      case .text(let text): number(.text(other.texts.string(text)))
      case .bin(let index, let name): bins[index] ?? add(bin: index, named: name)
      case .unit(let unit): number(.unit(unit))
      case .install(let install): number(.install(install))
      case .user(let user): number(.user(user))
      }
    }
  }

  private func other(_ kind: UInt64, _ bits: UInt64, _ value: Stored) -> Int {
    let (entry, isNew) = others.number(kind, bits)
    if isNew { otherNumbers.append(add(value)) }
    return otherNumbers[entry]
  }

  private func add(_ value: Stored) -> Int {
    values.append(value)
    return values.count - 1
  }

  /// The unit of time with a number.
  func unit(_ number: Int) -> Int? {
    if case .unit(let unit) = values[number] { unit } else { nil }
  }

  /// Returns the value with a number, as answers show it.
  func value(_ number: Int, _ names: LoadedNames) throws -> QuestionValue? {
    switch values[number] {
    case .none: nil
    case .number(let number): .number(number)
    case .text(let text): .text(String(decoding: texts.string(text), as: UTF8.self))
    case .bin(_, let name): .text(name)
    case .unit(let unit):
      .text(QuestionCalendar.label(of: group.dimension.timeUnit ?? .day, number: unit))
    case .install(let number): .text(try names.install(number))
    case .user(let number): .text(try names.user(number))
    }
  }
}
