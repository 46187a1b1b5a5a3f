package import Warehouse

/// The rest of what a message says about a figure: the usual range, and the release that may have caused it.
package struct FigureContext: Sendable, Hashable {
  /// The range of most figures of the weeks before; `nil` if there are too few.
  package var usual: ClosedRange<Double>?
  /// The latest release of the days before.
  package var release: Release?

  package init() {}

  /// A release: the version, and the day on which it began to spread.
  package struct Release: Sendable, Hashable {
    package var version: String
    package var day: Day

    package init(version: String, day: Day) { (self.version, self.day) = (version, day) }
  }
}

extension FigureContext {
  /// The days before a figure of which it is said what is usual.
  package static let usualDays = 28
  /// The days before a figure in which a release may be its cause.
  package static let releaseDays = 7
  /// The fewest figures that say what is usual.
  private static let fewestFigures = 7

  /// Returns the range of the middle four fifths of the figures before one; for hours, of the same hour of earlier days.
  package static func usual(_ figures: [PeriodFigure], before figure: PeriodFigure, per period: AlertPeriod)
    -> ClosedRange<Double>?
  {
    let step = period == .hour ? 24 : 1
    let earliest = figure.number - usualDays * step
    let values = figures.filter {
      (earliest..<figure.number).contains($0.number) && (figure.number - $0.number) % step == 0
    }.compactMap(\.value).sorted()
    guard values.count >= fewestFigures else { return nil }
    let outside = values.count / 10
    return values[outside]...values[values.count - 1 - outside]
  }
}
