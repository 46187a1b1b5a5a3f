/// A figure of one day that another service counted, such as Google Analytics. It is never added to counted figures.
package struct ImportedFigure: Sendable, Hashable {
  /// The day, in the time zone of that service's view.
  package var day: Day
  /// The name of the metric, as the other service wrote it.
  package var metric: String
  /// The figure as the other service wrote it; ``ImportedValue`` reads it.
  package var text: String

  package init(day: Day, metric: String, text: String) {
    self.day = day
    self.metric = metric
    self.text = text
  }
}

/// The imported figures of one metric.
package struct ImportedMetric: Sendable, Hashable {
  package var name: String
  /// The first and the last day with a figure.
  package var days: ClosedRange<Day>
  /// The number of days with a figure.
  package var count: Int

  /// Creates a summary.
  package init(name: String, days: ClosedRange<Day>, count: Int) {
    self.name = name
    self.days = days
    self.count = count
  }
}

/// A figure as Google Analytics wrote it in English (US).
package enum ImportedValue: Sendable, Hashable {
  /// A whole number, such as `1,234`.
  case count(Int64)
  /// A number with decimals, such as `1,234.50`.
  case decimal(Double)
  /// A share, from `12.34%`; 1 is all.
  case share(Double)
  /// A duration in milliseconds, from `00:01:10`.
  case duration(Int)
  /// An amount of money in decimal notation, without its currency, from `$1,234.50`.
  case amount(String)
  /// Less than a number, such as `<1` or `<0.01%`.
  case below(String)

  /// The bytes of the longest figure.
  static let maximumBytes = 40

  /// Reads a figure; returns `nil` if it isn't one, or may be one of another language, such as `1.234` or `12,5`.
  package init?(_ text: String) {
    guard !text.isEmpty, text.utf8.count <= Self.maximumBytes else { return nil }
    if text.hasPrefix("<") {
      guard Self(String(text.dropFirst())) != nil, !text.dropFirst().hasPrefix("<") else { return nil }
      self = .below(text)
      return
    }
    if text.contains(":") {
      guard let duration = Self.milliseconds(text) else { return nil }
      self = .duration(duration)
      return
    }
    if text.hasSuffix("%") {
      guard let number = Number(text.dropLast()), let value = Double(number.plain) else { return nil }
      self = .share(value / 100)
      return
    }
    // The currency precedes an amount, and a minus precedes both.
    let isNegative = text.hasPrefix("-")
    let unsigned = text.drop { $0 == "-" }
    let symbol = unsigned.prefix { !$0.isASCII || $0.isLetter || $0 == "$" }
    guard let number = Number(unsigned.dropFirst(symbol.count)) else { return nil }
    let plain = (isNegative ? "-" : "") + number.plain
    if !symbol.isEmpty {
      guard symbol.count <= 4 else { return nil }
      self = .amount(plain)
    } else if number.decimals.isEmpty {
      guard let count = Int64(plain) else { return nil }
      self = .count(count)
    } else {
      guard let value = Double(plain) else { return nil }
      self = .decimal(value)
    }
  }

  /// Digits with separators of thousands, and decimals.
  private struct Number {
    let whole: String
    let decimals: Substring

    var plain: String { decimals.isEmpty ? whole : "\(whole).\(decimals)" }

    init?(_ text: Substring) {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      guard (1...2).contains(parts.count) else { return nil }
      let groups = parts[0].split(separator: ",", omittingEmptySubsequences: false)
      let digits = { (text: Substring) in !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } }
      guard groups.allSatisfy(digits), groups.dropFirst().allSatisfy({ $0.count == 3 }),
        groups.count == 1 || (1...3).contains(groups[0].count)
      else { return nil }
      whole = groups.joined()
      decimals = parts.count == 2 ? parts[1] : ""
      // Three decimals are more likely thousands of a language that separates them by points.
      guard parts.count == 1 || (digits(decimals) && decimals.count != 3) else { return nil }
    }
  }

  private static func milliseconds(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, (1...6).contains(parts[0].count), parts[1].count == 2, parts[2].count == 2,
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let hours = Int(parts[0]), let minutes = Int(parts[1]), let seconds = Int(parts[2]), minutes < 60, seconds < 60
    else { return nil }
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000
  }
}
