/// The portal's line icons, drawn on a grid of 20 by 20.
enum Icon {
  /// The icon of the settings page as SVG.
  static let settings = svg("M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4")

  /// The icon of the list of views as SVG.
  static let views = svg("M2.5 10s2.8-5 7.5-5 7.5 5 7.5 5-2.8 5-7.5 5-7.5-5-7.5-5zM10 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z")

  /// The icon of the dashboards.
  static let dashboards = svg("M3 3h6v8H3zM11 3h6v4h-6zM11 9h6v8h-6zM3 13h6v4H3z")

  /// The icon of the segments.
  static let segments = svg("M10 3a7 7 0 1 0 7 7h-7zM13 3.5A7 7 0 0 1 16.500 7H13z")

  /// The icon of the notes.
  static let notes = svg("M4 3h12v10l-4 4H4zM12 17v-4h4M7 7h6M7 10h4")

  /// The tern, seen from above with spread wings; the beak has its own colour.
  static let tern = """
    <svg class="tern" viewBox="0 0 40 32" aria-hidden="true">\
    <path class="body" d="M20 7c1.6 0 2.6 1.3 2.7 3 3.8-2.6 9.6-3.7 16.3-1.5-6.5.3-11.8 3.2-15.6 8.5-.3 2-.9 \
    3.7-1.5 5.2L24.5 31 20 25.5 15.5 31l2.6-8.8c-.6-1.5-1.2-3.2-1.5-5.2C12.8 11.7 7.5 8.8 1 8.5 7.7 6.3 \
    13.5 7.4 17.3 10c.1-1.7 1.1-3 2.7-3z"/><path class="beak" d="M20 1.2l1.2 5a3.4 3.4 0 0 0-2.4 0z"/></svg>
    """

  /// Returns an icon as SVG.
  static func svg(_ path: String) -> String {
    "<svg class=\"icon\" viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path d=\"\(path)\"/></svg>"
  }
}
