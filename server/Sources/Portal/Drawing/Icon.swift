import Reports

/// The portal's line icons, drawn on a grid of 20 by 20.
enum Icon {
  /// The path of the icon of the settings.
  static let settings = "M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4"

  /// The path of the icon of the views.
  static let views = "M2.5 10s2.8-5 7.5-5 7.5 5 7.5 5-2.8 5-7.5 5-7.5-5-7.5-5zM10 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z"

  /// The path of the icon of the dashboards.
  static let dashboards = "M3 3h6v8H3zM11 3h6v4h-6zM11 9h6v8h-6zM3 13h6v4H3z"

  static func path(of entry: ReportNavigation.Entry) -> String {
    switch entry {
    case .overview: "M3 3v14h14M6 13l3.5-4 3 2.5L17 6"
    case .events: "M11 2.5L4 11.5h5l-1 6 7-9h-5z"
    case .audience:
      "M7.5 9a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM2.5 16c0-3 2-4.5 5-4.5s5 1.5 5 4.5M13 4.300a2.5 2.5 0 0 1 0 4.5M14.5 11.800c2 .5 3 2 3 4.200"
    case .errors: "M10 3l7.5 13.5h-15zM10 8v4M10 14.2v.2"
    case .live:
      "M10 9.9v.2M7 13a4.2 4.2 0 0 1 0-6M13 7a4.2 4.2 0 0 1 0 6M4.3 15.7a8 8 0 0 1 0-11.4M15.7 4.3a8 8 0 0 1 0 11.4"
    }
  }

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
