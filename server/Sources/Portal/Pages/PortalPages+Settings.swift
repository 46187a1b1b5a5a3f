import Foundation
import Reports
import ServerBase
import TernBase
package import Warehouse

extension PortalPages {
  /// The page of the app itself, with a form that posts `name`, `timeZone`, `appSecret`, `trackingId`, `keeping` and
  /// `newNames`.
  ///
  /// - Parameters:
  ///   - newNames: The daily limit on new names; `nil` for the default.
  ///   - canChangeZone: True while nothing has been counted by days.
  package func settings(
    app: App, apps: [App] = [], newNames: Int? = nil, canChangeZone: Bool = false, result: FormResult = FormResult()
  ) -> String {
    let links = PortalLinks(app: app.id)
    let values: TemplateValues = [
      "secret": app.appSecret, "trackingID": app.trackingID,
      "message": result.message.map { visible($0) }, "done": result.done.map { visible($0) },
      "twin": Self.twinWarning(of: app, apps),
      "action": links.page(.app), "name": app.name, "newNames": newNames.map(String.init) ?? "",
      "keeping": app.keeping?.text ?? KeepingPeriod.foreverText, "deletion": reader.isOwner ? links.deletion : nil,
      "timeZone": app.timeZone, "hasZones": canChangeZone, "zoneLink": links.zone,
      "zones": canChangeZone ? ZoneDatabase.system.names : nil,
      "zoneData": app.zone.source == .always ? nil : app.zone.source.description,
    ]
    return page(settingsShell(.app, "Settings", app, apps), body: templates.render("settings", values))
  }

  /// A warning that another app has the same name; `nil` if none has.
  private static func twinWarning(of app: App, _ apps: [App]) -> String? {
    let twins = apps.filter { $0.id != app.id && $0.name == app.name }.map { $0.id.description }
    guard !twins.isEmpty else { return nil }
    return "\(twins.count == 1 ? "App \(twins[0]) has" : "Apps \(twins.joined(separator: ", ")) have") this name, too. "
      + "Give each a name of its own, so that readers can tell them apart."
  }

  /// The page of the app's keys and sample code, which shows if the first event has arrived.
  ///
  /// - Parameter first: The latest event; `nil` if the app has none.
  package func setup(app: App, apps: [App], first: StoredEvent?) -> String {
    let values: TemplateValues = [
      "arrival": arrival(of: first, app),
      "appNumber": app.id.description, "key": app.key, "timeZone": app.timeZone, "secret": app.appSecret,
      "trackingID": app.trackingID, "address": serverAddress, "setup": setup(app: app),
    ]
    var shell = settingsShell(.setup, "Keys and code", app, apps)
    shell.script = "refresh.js"
    return page(shell, body: templates.render("keys", values))
  }

  /// The page of the app's limits. Owners get a form that posts each by its name, in the unit that is shown.
  ///
  /// - Parameters:
  ///   - limits: The limits that an owner has set.
  package func limits(
    _ limits: UsageLimitChanges, app: App, apps: [App], result: FormResult = FormResult()
  ) -> String {
    let limits = UsageLimitChanges.members.map { member -> TemplateValues in
      let (number, usual) = (member.units(in: limits), member.usual / member.unitBytes)
      return [
        "limit": member.name, "title": member.title, "value": number.map(String.init) ?? "", "usual": grouped(usual),
        "shown": grouped(number ?? usual), "isChanged": number != nil,
        "maximum": String(UsageLimitChanges.range.upperBound / member.unitBytes),
      ]
    }
    let values: TemplateValues = [
      "message": result.message.map { visible($0) }, "done": result.done.map { visible($0) }, "limits": limits,
      "changeLimits": reader.isOwner ? PortalLinks(app: app.id).page(.limits) : nil,
    ]
    return page(settingsShell(.limits, "Limits", app, apps), body: templates.render("limits", values))
  }

  /// The light that turns green when the first event has arrived, as HTML.
  func arrival(of event: StoredEvent?, _ app: App) -> String {
    let links = PortalLinks(app: app.id)
    return templates.render(
      "arrival",
      [
        "address": links.page(.setup), "overview": links.page(AppReports.overview),
        "liveLink": reader.seesPersonalData ? links.page(AppReports.live) : nil,
        "event": event.map { event in
          let time = ReportZone(app.zone).dateTime(of: event.received)
          return ["name": event.name.isEmpty ? Self.caption(event.kind) : shown(event.name), "time": time]
            as TemplateValues
        },
      ])
  }

  private func settingsShell(_ place: AppPlace, _ title: String, _ app: App, _ apps: [App]) -> Shell {
    Shell(app: app, apps: apps, report: nil, title: title, place: place)
  }

  /// The sample code for sending to this app: in Swift, from a terminal, from an App Center app, from a Google
  /// Analytics app.
  func setup(app: App) -> String {
    templates.render(
      "setup",
      [
        "swiftAddress": Self.swiftLiteral(serverAddress), "swiftKey": Self.swiftLiteral(app.key),
        "shellAddress": Self.shellWord(serverAddress), "shellKey": Self.shellWord(app.key),
        "swiftSecret": Self.swiftLiteral(app.appSecret), "collectAddress": Self.shellWord("\(serverAddress)/collect"),
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

extension AppPlace {
  package static let app = AppPlace("App", "settings")
  package static let setup = AppPlace("Keys and code", "setup")
  package static let limits = AppPlace("Limits", "limits")
}
