extension ErrorsReport {
  var tables: [ReportTable] {
    [Self.table("Crashes", crashes), Self.table("Handled errors", handled)]
  }

  var flatTable: ReportTable {
    ReportTable(
      columns: ["kind", "type", "place", "count", "users", "versions", "last", "group"],
      rows: (crashes + handled).map { [.text($0.kind)] + Self.cells($0) })
  }

  private static func table(_ title: String, _ groups: [ErrorGroupFigures]) -> ReportTable {
    ReportTable(
      title: title, columns: ["type", "place", "count", "users", "versions", "last", "group"],
      rows: groups.map(cells))
  }

  private static func cells(_ group: ErrorGroupFigures) -> [ReportTable.Cell] {
    [
      .text(group.type), .text(group.place), .count(group.count), .count(group.users),
      .text(group.versions.prefix(5).joined(separator: ", ")), .text(group.last), .text(String(group.group)),
    ]
  }
}

extension ErrorReport {
  var tables: [ReportTable] {
    let summary = ReportTable(
      columns: ["kind", "type", "message", "count", "users"],
      rows: (error.map { [$0] } ?? []).map {
        [.text($0.kind), .text($0.type), .text($0.message), .count($0.count), .count($0.users)]
      })
    if let occurrence { return [summary] + Self.tables(occurrence) }
    let versions = ReportTable(
      title: "Versions", columns: ["version", "count", "share"],
      rows: versions.map { [.text($0.name), .count($0.count), .share($0.share)] })
    return [summary, versions, occurrenceTable]
  }

  var flatTable: ReportTable { occurrenceTable }

  private var occurrenceTable: ReportTable {
    ReportTable(
      title: "Occurrences", columns: ["time", "version", "system", "model", "user", "install", "occurrence"],
      rows: occurrences.map {
        [
          .text($0.time), .text($0.version), .text($0.system), .text($0.model), .text($0.user), .count($0.install),
          .text(String($0.occurrence)),
        ]
      })
  }

  private static func tables(_ detail: Detail) -> [ReportTable] {
    let facts = [
      ("time", detail.facts.time), ("version", detail.facts.version), ("system", detail.facts.system),
      ("model", detail.facts.model), ("user", detail.facts.user), ("id", detail.facts.id), ("message", detail.message),
    ]
    return [
      ReportTable(title: "Facts", columns: ["fact", "value"], rows: facts.map { [.text($0.0), .text($0.1)] }),
      ReportTable(
        title: "Stack", columns: ["frame"],
        rows: detail.stack.split(separator: "\n").map { [.text(String($0))] }),
      ReportTable(
        title: "Attachments", columns: ["name", "type", "bytes", "attachment"],
        rows: detail.attachments.map {
          [.text($0.name), .text($0.contentType), .count($0.bytes), .text(String($0.attachment))]
        }),
      ReportTable(
        title: "The session before", columns: ["time", "kind", "name"],
        rows: detail.before.map { [.text($0.time.isoText), .text($0.kind), .text($0.name)] }),
    ]
  }
}
