/// A report's place in the navigation.
package struct ReportNavigation: Sendable, Hashable {
  /// The entries of the navigation, in order. The reports of one entry are its tabs.
  package enum Entry: String, Sendable, CaseIterable {
    /// The first pages: releases, and the most important figures.
    case overview = "Home"
    /// Activity in the app.
    case events = "Events"
    /// The versions, devices, countries and languages of its users.
    case audience = "Audience"
    /// Crashes and handled errors.
    case errors = "Errors"
    /// Incoming data. These reports are shown even before the first event.
    case live = "Live"
  }

  package var entry: Entry
  /// The text of the tab.
  package var label: String

  /// Creates a place among the tabs of an entry.
  package init(_ entry: Entry, _ label: String) {
    self.entry = entry
    self.label = label
  }
}

/// The groups of a view's reports, which are tabs of each other.
package enum ViewReportGroup: String, Sendable, CaseIterable {
  case audience = "Audience"
  case behavior = "Behavior"
  case ecommerce = "Ecommerce"
  case hits = "Hits"
}
