import Reports
import Warehouse

/// An entry of the menu. Its pages are tabs of each other.
struct NavigationEntry {
  var label: String
  /// The path of the icon, on a grid of 20 by 20.
  var icon: String
  var pages: [NavigationPage]

  var isActive: Bool { pages.contains(where: \.isActive) }

  /// The values of the entry in the menu; `nil` if the reader may open none of its pages.
  var values: TemplateValues? {
    pages.first.map { first in
      [
        "icon": Icon.svg(icon), "label": label, "link": first.link,
        // With tabs, the current page is the one that is marked among them.
        "current": isActive ? pages.count > 1 ? "true" : "page" : nil,
      ]
    }
  }
}

/// A page of an app in the navigation.
struct NavigationPage {
  var label: String
  var link: String
  var isActive: Bool
}

/// The entries of the menu: a group's caption, and its entries in order.
struct NavigationGroup {
  var caption: String?
  var entries: [NavigationEntry]
}

extension [NavigationGroup] {
  /// The menu.
  var values: [TemplateValues] {
    map { ["caption": $0.caption, "items": $0.entries.compactMap(\.values)] }
  }

  /// The tabs of the active entry; `nil` if it has only one page.
  var tabs: TemplateValues? {
    lazy.flatMap(\.entries).first { $0.isActive && $0.pages.count > 1 }.map { entry in
      [
        "name": entry.label,
        "links": entry.pages.map { TemplateValues.link($0.label, $0.link, isActive: $0.isActive) },
      ]
    }
  }
}
