import Foundation
import Warehouse

extension CatalogStore {
  /// Returns the app with a name, number or secret as in App Center's addresses; owners are ignored.
  ///
  /// Names take precedence, because App Center had only names: `2024` means an app of that name, and `2` means an app
  /// named `2` even if another app has the number 2. The other app can still be addressed by its name or secret.
  func app(appCenterName part: String) throws -> App? {
    let (text, apps) = (part.removingPercentEncoding ?? part, try apps())
    if let app = apps.first(where: { $0.name == text }) { return app }
    if let number = Int64(text), let app = try app(AppID(number)) { return app }
    if let app = try app(appSecret: text) { return app }
    // Names in App Center's addresses have no spaces: `My App` is `My-App`.
    let slug = Self.slug(text)
    return slug.isEmpty ? nil : apps.first { Self.slug($0.name) == slug }
  }

  private static func slug(_ name: String) -> String {
    name.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }.joined(separator: "-")
  }
}
