import ArgumentParser
import Warehouse

/// Periods as options write them.
enum Period {
  /// Parses a time such as `30m`, `6h` or `1d`.
  @Sendable static func time(_ text: String) throws -> Duration {
    let units = ["m": 60, "h": 3_600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[String($0)] }), let number = Int(text.dropLast()),
      (1...1_000_000).contains(number)
    else { throw ValidationError("Enter a time such as 30m, 6h or 1d.") }
    return .seconds(number * unit)
  }

  /// Parses a day such as `2026-05-31`.
  @Sendable static func day(_ text: String) throws -> Day {
    guard let day = Day(text) else { throw ValidationError("Enter a day such as 2026-05-31.") }
    return day
  }
}
