import Reports
import TernBase
public import Warehouse

extension PortalPages {
  /// The page of the app's keys and sample code, and a form that posts `name`, `appSecret`, `trackingId`, `keeping`
  /// and `newNames`. Owners also get a form of the limits, which posts each by its name, in the unit that is shown.
  ///
  /// - Parameters:
  ///   - newNames: The daily limit on new names; `nil` for the default.
  ///   - limits: The limits that an owner has set.
  ///   - message: The reason why the change failed, if it did.
  public func settings(
    app: App, apps: [App] = [], newNames: Int? = nil, limits: UsageLimitChanges = UsageLimitChanges(),
    message: String? = nil
  ) -> String {
    let shell = Shell(app: app, apps: apps, report: nil, title: "Settings")
    let limits = UsageLimitChanges.members.map { member -> TemplateValues in
      let (number, usual) = (member.units(in: limits), member.usual / member.unitBytes)
      return [
        "limit": member.name, "title": member.title, "value": number.map(String.init) ?? "", "usual": grouped(usual),
        "shown": grouped(number ?? usual), "isChanged": number != nil,
        "maximum": String(UsageLimitChanges.range.upperBound / member.unitBytes),
      ]
    }
    let values: TemplateValues = [
      "appNumber": app.id.description, "key": app.key, "timeZone": app.timeZone, "secret": app.appSecret,
      "trackingID": app.trackingID, "address": collector, "setup": setup(app: app), "message": message,
      "action": PortalLinks(app: app.id).settings, "name": app.name, "newNames": newNames.map(String.init) ?? "",
      "keeping": app.keeping?.text ?? KeepingPeriod.foreverText,
      "limits": limits, "changeLimits": reader.isOwner ? PortalLinks(app: app.id).limits : nil,
      "shared": PortalLinks(app: app.id).shared,
      "deletion": reader.isOwner ? PortalLinks(app: app.id).deletion : nil,
    ]
    return page(shell, body: templates.render("settings", values))
  }

  /// The sample code for sending to this app: in Swift, from a terminal, from an App Center app, from a Google
  /// Analytics app.
  func setup(app: App) -> String {
    templates.render(
      "setup",
      [
        "swiftAddress": Self.swiftLiteral(collector), "swiftKey": Self.swiftLiteral(app.key),
        "shellAddress": Self.shellWord(collector), "shellKey": Self.shellWord(app.key),
        "swiftSecret": Self.swiftLiteral(app.appSecret), "collectAddress": Self.shellWord("\(collector)/collect"),
        "hit": Self.shellWord("v=1&tid=\(PercentCoding.encode(app.trackingID))&cid=555"),
      ])
  }

  /// Formats text for a Swift literal: pasted code must mean what the page shows.
  private static func swiftLiteral(_ text: String) -> String {
    var result = ""
    for scalar in visible(text).unicodeScalars {
      if scalar == "\"" || scalar == "\\" { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return result
  }

  /// Formats text as a single word of a shell command.
  static func shellWord(_ text: String) -> String {
    let plain = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "-._~:/@".utf8.contains(byte)
    }
    if plain, !text.isEmpty { return text }
    var word = "'"
    // By scalar: a quote before a combining mark is part of another character, but still ends the word in a shell.
    for scalar in visible(text).unicodeScalars { word += scalar == "'" ? "'\\''" : String(scalar) }
    return word + "'"
  }
}
