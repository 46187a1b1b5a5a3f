extension CSVStyle.Decimal {
  /// Common languages that write a decimal comma in most of their regions.
  private static let commaLanguages: Set<Substring> = [
    "af", "az", "be", "bg", "bs", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fo", "fr", "gl", "hr", "hu",
    "hy", "id", "is", "it", "ka", "kk", "kl", "ky", "lb", "lt", "lv", "mk", "nb", "nl", "nn", "no", "pl", "pt", "ro",
    "ru", "sk", "sl", "sq", "sr", "sv", "tg", "tk", "tr", "tt", "uk", "uz", "vi",
  ]

  /// The regions of these languages that write a point.
  private static let pointTags: Set<Substring> = [
    "de-ch", "de-li", "it-ch", "es-419", "es-bz", "es-cu", "es-do", "es-gt", "es-hn", "es-mx", "es-ni", "es-pa",
    "es-pe", "es-pr", "es-sv", "es-us",
  ]

  /// The most languages that are read.
  private static let maximumLanguages = 20

  /// Creates the decimal separator of a reader's preferred language, by the header field `Accept-Language`.
  package init(acceptLanguage: String) {
    var best: (tag: Substring, weight: Double) = ("", 0)
    for entry in acceptLanguage.lowercased().split(separator: ",").prefix(Self.maximumLanguages) {
      let parts = entry.filter { $0 != " " && $0 != "\t" }.split(separator: ";")
      guard let tag = parts.first else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      // Of equal ones, the first.
      if weight > best.weight { best = (tag, weight) }
    }
    let parts = best.tag.split(separator: "-")
    guard let language = parts.first, Self.commaLanguages.contains(language) else {
      self = .point
      return
    }
    // A script may stand between language and region.
    let region = parts.dropFirst().first { $0.count == 2 || $0.allSatisfy(\.isNumber) }
    self = Self.pointTags.contains("\(language)-\(region ?? "")") ? .point : .comma
  }
}
