import Foundation
import Ingest
import Reports
import ServerBase
import TernBase
import Warehouse

/// The help with the first event: sample code, and the light that turns green when it has arrived.
extension PageVisit {
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
          return ["name": event.name.isEmpty ? StoredEventText.caption(event.kind) : shown(event.name), "time": time]
            as TemplateValues
        },
      ])
  }

  /// The sample code for sending to this app: in Swift, from a terminal, from an App Center app, from a Google
  /// Analytics app.
  func setup(app: App) -> String {
    templates.render(
      "setup",
      [
        "swiftAddress": CodeText.swiftLiteral(serverAddress), "swiftKey": CodeText.swiftLiteral(app.key),
        "shellAddress": CodeText.shellWord(serverAddress), "shellKey": CodeText.shellWord(app.key),
        "swiftSecret": CodeText.swiftLiteral(app.appSecret),
        "collectAddress": CodeText.shellWord("\(serverAddress)/collect"),
        "hit": CodeText.shellWord("v=1&tid=\(PercentCoding.encode(app.trackingID))&cid=555"),
      ])
  }
}

extension PageVisit {
  /// What clients of other systems need to be set to send to this app, one line for each.
  func clientSetups(app: App) -> [TemplateValues] {
    let target = ClientTarget(
      address: visible(serverAddress), keys: (app.writeKeys + [app.key]).map { visible($0) })
    return ClientProtocols.all.flatMap { $0.setups(target) }.map { setup in
      ["client": setup.client, "code": setup.code, "clientNote": setup.note]
    }
  }
}

/// Texts in code that is pasted.
enum CodeText {
  /// Formats text for a Swift literal: pasted code must mean what the page shows.
  static func swiftLiteral(_ text: String) -> String {
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
