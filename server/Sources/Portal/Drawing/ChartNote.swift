package import Reports
package import Warehouse

/// A note about a day, marked on every chart over that day.
package struct ChartNote: Sendable, Hashable {
  /// The day in the app's time zone.
  package var day: Day
  /// The text for readers.
  package var text: String
  /// The label on charts, where there is room for few words.
  package var label: String

  package init(_ release: Release) {
    day = release.day
    label = shown(release.version)
    text = "Version \(label)"
  }

  /// Creates the note that a person wrote.
  package init(_ annotation: Annotation) {
    day = annotation.day
    text = shown(annotation.text)
    label = text
  }
}
