import Foundation
import Reports
import ServerBase
import TernEvents
import Warehouse

/// The outcome of a form, shown above the page.
package struct FormResult: Sendable {
  /// The reason why the form failed, if it did.
  package var message: String?
  /// The outcome of the form, in a sentence.
  package var done: String?
  /// A secret that is shown once: a link or a token.
  package var secret: String?

  /// Creates an outcome.
  package init(message: String? = nil, done: String? = nil, secret: String? = nil) {
    self.message = message
    self.done = done
    self.secret = secret
  }

  /// Creates the outcome that the address of a page names, to which a form has led.
  ///
  /// - Parameter outcome: The value of `done`: a word, or the names of the fields that were saved, separated by commas.
  package init(outcome: String?) {
    guard let outcome else { return }
    let fields = outcome.split(separator: ",").compactMap { Self.fields[String($0)] }
    done = Self.outcomes[outcome] ?? (fields.isEmpty ? nil : "Saved: \(fields.joined(separator: ", ")).")
  }

  private static let outcomes = [
    "created": "Created.", "saved": "Saved.", "deleted": "Deleted.", "revoked": "Revoked. It no longer works.",
    "removed": "Removed. Their sessions have ended.", "ended": "The session has ended.",
    "requested": "It is sent in a few seconds.",
    "unchanged": "Nothing has changed.", "password": "The password has been changed. All other sessions have ended.",
    "factor-removed": "The second factor is off. Logins ask only for the password.",
    "app-deletion": "The app is being deleted. Large apps take a while.",
  ]
  private static let fields = [
    "name": "name", "timeZone": "time zone", "appSecret": "app secret", "trackingId": "tracking ID",
    "newNames": "new names per day", "keeping": "how long rows are kept",
  ]
}

/// A page of lists and forms.
struct ManagementPage {
  var title: String
  var lead: String
  var result = FormResult()
  var tables: [TemplateValues] = []
  var forms: [TemplateValues] = []
  /// The address of older entries.
  var older: String?
  /// HTML above the forms.
  var content = ""
}

extension TemplateValues {
  /// A list with buttons in its rows. The first cell of each row is its heading.
  static func list(_ title: String, _ columns: [String], _ rows: [TemplateValues], empty: String) -> TemplateValues {
    ["title": title, "columns": columns, "rows": rows, "none": rows.isEmpty ? empty : nil]
  }

  /// A row of a list.
  static func row(_ cells: [String], _ actions: [TemplateValues] = []) -> TemplateValues {
    ["head": cells.first ?? "", "cells": Array(cells.dropFirst()), "actions": actions]
  }

  /// A button that posts `do` and `id`.
  ///
  /// - Parameter destroys: True if it takes away something that can't be brought back.
  static func button(
    _ label: String, _ action: String, id: Int64, to address: String, destroys: Bool = false
  ) -> TemplateValues {
    ["label": label, "do": action, "id": id.description, "address": address, "destroys": destroys]
  }

  /// A link that opens the page with its form filled in from a row.
  static func changeLink(_ id: Int64, on address: String) -> TemplateValues {
    ["label": "Change", "link": "\(address)?edit=\(id)#form"]
  }

  /// A form that posts `do` and the values of its fields.
  static func form(
    _ title: String, button: String, _ action: String, to address: String, anchor: String? = nil, help: String? = nil,
    destroys: Bool = false, _ fields: [TemplateValues]
  ) -> TemplateValues {
    [
      "title": title, "label": button, "do": action, "address": address, "anchor": anchor, "fields": fields,
      "explanation": help, "destroysData": destroys,
    ]
  }

  /// A field with several lines of text.
  static func area(_ label: String, _ name: String, _ value: String = "", placeholder: String? = nil) -> TemplateValues
  {
    ["caption": label, "name": name, "value": value, "placeholder": placeholder, "isArea": true]
  }

  /// A field with the name of a time zone, which the page suggests.
  static func zone(_ label: String, _ name: String, _ value: String) -> TemplateValues {
    [
      "caption": label, "name": name, "value": value, "isZone": true,
      "zones": ZoneDatabase.system.names,
    ]
  }

  /// A field with a day, which a calendar helps to choose.
  static func day(_ label: String, _ name: String, _ day: Day) -> TemplateValues {
    ["caption": label, "name": name, "value": day.description, "isDay": true]
  }

  /// A field with text.
  static func field(
    _ label: String, _ name: String, _ value: String = "", type: String = "text", placeholder: String? = nil,
    isRequired: Bool = false
  ) -> TemplateValues {
    [
      "caption": label, "name": name, "value": value, "type": type, "placeholder": placeholder,
      "isRequired": isRequired, "isInput": true,
    ]
  }

  /// A field with a choice; the first option is the default unless another one is chosen.
  static func choice(
    _ label: String, _ name: String, _ options: [(value: String, text: String)], chosen: String? = nil
  ) -> TemplateValues {
    [
      "caption": label, "name": name, "isChoice": true,
      "options": options.map {
        ["value": $0.value, "text": $0.text, "isChosen": $0.value == chosen] as TemplateValues
      },
    ]
  }

  /// A field that is on or off.
  static func check(_ label: String, _ name: String, isOn: Bool = false) -> TemplateValues {
    ["caption": label, "name": name, "isCheck": true, "isOn": isOn]
  }

  /// A value that the form posts without showing it.
  static func hidden(_ name: String, _ value: String) -> TemplateValues {
    ["name": name, "value": value, "isHidden": true]
  }
}

extension PortalPages {
  /// Renders a page of the server.
  func management(_ page: ManagementPage) -> String {
    layout(
      title: page.title,
      body: templates.render(
        "plain", ["tern": Icon.tern, "nav": serverLinks(), "heading": page.title, "content": content(page)]))
  }

  /// Renders a page of an app.
  func management(_ page: ManagementPage, app: App, apps: [App], place: AppPlace? = nil) -> String {
    self.page(Shell(app: app, apps: apps, report: nil, title: page.title, place: place), body: content(page))
  }

  func content(_ page: ManagementPage) -> String {
    templates.render(
      "management",
      [
        "lead": page.lead, "done": page.result.done.map { visible($0) },
        "message": page.result.message.map { visible($0) },
        "secret": page.result.secret.map { visible($0) }, "tables": page.tables,
        "forms": page.forms, "older": page.older, "content": page.content,
      ])
  }

  /// The links to the pages of the server that the reader may open.
  func serverLinks() -> [TemplateValues] {
    let cluster = hasCluster ? [("Cluster", "/cluster")] : []
    let owner =
      [
        ("Users", "/users"), ("Tokens", "/tokens"), ("Audit log", "/audit"), ("Alerts", "/alerts"),
        ("Storage", "/storage"),
      ] + cluster
    return ([("Apps", "/")] + (reader.isOwner ? owner : []) + [("Account", "/account")]).map { .link($0.0, $0.1) }
  }

  /// Formats a time for a list, for example `4 May 2026, 14:05 UTC`; on an app's page in its zone, which the page names.
  func listed(_ time: Timestamp?, of app: App? = nil, never: String = "Never") -> String {
    guard let time else { return never }
    let zone = ReportZone(app?.zone ?? .utc)
    return "\(zone.day(of: time).longText), \(zone.timeOfDay(of: time).prefix(5))\(app == nil ? " UTC" : "")"
  }
}
