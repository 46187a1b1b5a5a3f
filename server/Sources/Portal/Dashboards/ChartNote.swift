package import Reports
package import Warehouse

/// A note about a day, marked on every chart over that day.
package struct ChartNote: Sendable, Hashable {
  /// The day in the app's time zone.
  package var day: Day
  /// The text for readers.
  package var text: String

  /// Creates the note of a release.
  package init(_ release: Release) {
    day = release.day
    text = "Version \(shown(release.version))"
  }

  /// Creates the note that a person wrote.
  package init(_ annotation: Annotation) {
    day = annotation.day
    text = shown(annotation.text)
  }
}
