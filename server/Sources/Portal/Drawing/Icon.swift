import Reports

/// The portal's line icons, drawn on a grid of 20 by 20.
enum Icon {
  /// A report's icon as SVG.
  static func svg(_ name: ReportName) -> String { svg(path(name)) }

  /// The icon of the settings page as SVG.
  static let settings = svg("M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4")

  /// The icon of the list of views as SVG.
  static let views = svg("M2.5 10s2.8-5 7.5-5 7.5 5 7.5 5-2.8 5-7.5 5-7.5-5-7.5-5zM10 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z")

  /// The tern, wings spread, seen from above; the beak in its own colour.
  static let tern = """
    <svg class="tern" viewBox="0 0 40 32" aria-hidden="true">\
    <path class="body" d="M20 7c1.6 0 2.6 1.3 2.7 3 3.8-2.6 9.6-3.7 16.3-1.5-6.5.3-11.8 3.2-15.6 8.5-.3 2-.9 \
    3.7-1.5 5.2L24.5 31 20 25.5 15.5 31l2.6-8.8c-.6-1.5-1.2-3.2-1.5-5.2C12.8 11.7 7.5 8.8 1 8.5 7.7 6.3 \
    13.5 7.4 17.3 10c.1-1.7 1.1-3 2.7-3z"/><path class="beak" d="M20 1.2l1.2 5a3.4 3.4 0 0 0-2.4 0z"/></svg>
    """

  private static func svg(_ path: String) -> String {
    "<svg class=\"icon\" viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path d=\"\(path)\"/></svg>"
  }

  private static func path(_ name: ReportName) -> String {
    switch name {
    case .overview: "M3 3v14h14M6 13l3.5-4 3 2.5L17 6"
    case .events, .event: "M11 2.5L4 11.5h5l-1 6 7-9h-5z"
    case .errors, .error: "M10 3l7.5 13.5h-15zM10 8v4M10 14.2v.2"
    case .screens: "M3 4h14v10H3zM7 17h6"
    case .versions: "M10 3l7 3.5-7 3.5-7-3.5zM3 10.2l7 3.5 7-3.5M3 13.7l7 3.5 7-3.5"
    case .devices: "M6 2.5h8v15H6zM9 15h2"
    case .countries:
      "M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM2.5 10h15M10 2.5c-5 5-5 10 0 15M10 2.5c5 5 5 10 0 15"
    case .live:
      "M10 9.9v.2M7 13a4.2 4.2 0 0 1 0-6M13 7a4.2 4.2 0 0 1 0 6M4.3 15.7a8 8 0 0 1 0-11.4M15.7 4.3a8 8 0 0 1 0 11.4"
    case .losses: "M10 2.5c3 4 5 6.5 5 9.5a5 5 0 0 1-10 0c0-3 2-5.5 5-9.5zM10 14.5a2.5 2.5 0 0 1-2.5-2.5"
    }
  }
}
