/// Latencies in nanoseconds, collected without allocation while measuring.
public struct Samples: Sendable {
  private var values: [Int64]

  /// Creates an empty collection with room for `capacity` samples, in memory that is resident already.
  public init(capacity: Int) {
    values = [Int64](repeating: 1, count: capacity)
    values.removeAll(keepingCapacity: true)
  }

  /// Adds one latency in nanoseconds.
  public mutating func add(_ nanoseconds: Int64) { values.append(nanoseconds) }

  /// Removes all samples; their memory stays.
  public mutating func removeAll() { values.removeAll(keepingCapacity: true) }

  /// The number of samples.
  public var count: Int { values.count }

  /// The values at the given fractions (0…1) of the sorted samples, in nanoseconds.
  public func quantiles(_ fractions: [Double]) -> [Int64] {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return fractions.map { _ in 0 } }
    return fractions.map { sorted[min(sorted.count - 1, Int(Double(sorted.count) * $0))] }
  }
}

/// One line of output: a JSON object whose members are printed in the order given.
public func printLine(_ members: KeyValuePairs<String, Figure>) {
  print("{" + members.map { "\"\($0.key)\":\($0.value.json)" }.joined(separator: ",") + "}")
}

/// A value of an output line.
public enum Figure: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// Text without characters that JSON escapes.
  case text(String)
  /// An integer.
  case count(Int)
  /// A number, printed with two decimals.
  case number(Double)

  /// Creates a value from text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Creates a value from an integer.
  public init(integerLiteral value: Int) { self = .count(value) }

  var json: String {
    switch self {
    case .text(let text): "\"\(text)\""
    case .count(let count): String(count)
    case .number(let number): String((number * 100).rounded() / 100)
    }
  }
}
