import Foundation
import ServerBase
import Warehouse

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

  /// A sentence between the fields, about those that follow.
  static func note(_ text: String) -> TemplateValues { ["caption": text, "isNote": true] }

  /// A value that the form posts without showing it.
  static func hidden(_ name: String, _ value: String) -> TemplateValues {
    ["name": name, "value": value, "isHidden": true]
  }
}
