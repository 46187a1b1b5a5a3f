/// The colour scheme of a page in a frame, which may differ from that of the browser.
package enum Theme: String, Sendable {
  case light, dark
}

extension PortalServer {
  /// The values of a layout's colour scheme; without a theme, the browser decides.
  func scheme(_ theme: Theme?) -> (text: String, dark: TemplateValues?) {
    func dark(_ media: String) -> TemplateValues { ["link": PortalAssets.link("dark.css"), "media": media] }
    return switch theme {
    case nil: ("light dark", dark("(prefers-color-scheme: dark)"))
    case .light: ("light", nil)
    case .dark: ("dark", dark("all"))
    }
  }
}
