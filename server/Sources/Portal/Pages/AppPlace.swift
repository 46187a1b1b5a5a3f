package import Warehouse

/// A page of an app that is neither a report nor a question: its entry in the menu and its address. Each is declared beside
/// its page.
package struct AppPlace: Sendable, Hashable {
  /// The word for it in the menu.
  let label: String
  /// The last part of its address.
  let path: String
  /// The right to open it.
  package let right: Permission

  /// The pattern of its address.
  package var route: String { "/apps/:app/\(path)" }

  package init(_ label: String, _ path: String, right: Permission = .edit) {
    (self.label, self.path, self.right) = (label, path, right)
  }
}
