import TernEvents
import Warehouse

extension Report {
  /// The figures as tables, in reading order.
  var tables: [ReportTable] {
    switch content {
    case .overview(let figures): [figures.table, figures.totalsTable]
    case .events(let figures): [ranking("event", figures.events)]
    case .event(let figures): figures.tables
    case .errors(let figures): figures.tables
    case .error(let figures): figures.tables
    case .screens(let figures): [ranking("screen", figures.screens)]
    case .versions(let figures): [ranking("version", figures.versions)]
    case .devices(let figures):
      [ranking("model", figures.models, title: "Models"), ranking("system", figures.systems, title: "Systems")]
    case .countries(let figures): [figures.table]
    case .live(let figures): [figures.table]
    case .losses(let figures): [ranking("reason", figures.losses), figures.ledgerTable]
    }
  }

  /// The figures as one table, as spreadsheets need it: reports with several lists name the list in a column.
  var flatTable: ReportTable {
    switch content {
    case .overview(let figures): figures.table
    case .event(let figures): figures.flatTable
    case .errors(let figures): figures.flatTable
    case .error(let figures): figures.flatTable
    case .devices(let figures): figures.flatTable
    case .losses(let figures): figures.flatTable
    default: tables[0]
    }
  }

  private func ranking(_ noun: String, _ lines: [RankedFigures], title: String = "") -> ReportTable {
    ReportTable(
      title: title, columns: [noun, "count", "users", "share"],
      rows: lines.map { [.text($0.name), .count($0.count), .count($0.users), .share($0.share)] })
  }
}

extension OverviewReport {
  fileprivate var table: ReportTable {
    ReportTable(
      columns: ["date", "events", "sessions", "dau", "wau", "mau"],
      rows: days.map {
        [
          .text($0.date.description), .count($0.events), .count($0.sessions), .count($0.dau), .count($0.wau),
          .count($0.mau),
        ]
      })
  }

  fileprivate var totalsTable: ReportTable {
    ReportTable(
      title: "Totals", columns: ["events", "sessions", "users", "wau", "mau"],
      rows: [
        [.count(totals.events), .count(totals.sessions), .count(totals.users), .count(totals.wau), .count(totals.mau)]
      ])
  }
}

extension EventReport {
  fileprivate var tables: [ReportTable] {
    let summary = ReportTable(
      columns: ["event", "count", "users"], rows: [[.text(event.name), .count(event.count), .count(event.users)]])
    let series = ReportTable(
      title: "Days", columns: ["date", "count", "users"],
      rows: event.days.map { [.text($0.date.description), .count($0.count), .count($0.users)] })
    let properties = event.properties.map { property in
      ReportTable(
        title: "Property \(property.name) (\(grouped(property.count)))", columns: ["value", "count", "users", "share"],
        rows: property.values.map { [.text($0.value), .count($0.count), .count($0.users), .share($0.share)] })
    }
    return [summary, series] + properties
  }

  fileprivate var flatTable: ReportTable {
    let days: [[ReportTable.Cell]] = event.days.map {
      [.text($0.date.description), .text(""), .text(""), .count($0.count), .count($0.users)]
    }
    let values: [[ReportTable.Cell]] = event.properties.flatMap { property in
      property.values.map { [.text(""), .text(property.name), .text($0.value), .count($0.count), .count($0.users)] }
    }
    return ReportTable(columns: ["date", "property", "value", "count", "users"], rows: days + values)
  }
}

extension DevicesReport {
  fileprivate var flatTable: ReportTable {
    func rows(_ list: String, _ lines: [RankedFigures]) -> [[ReportTable.Cell]] {
      lines.map { [.text(list), .text($0.name), .count($0.count), .count($0.users), .share($0.share)] }
    }
    return ReportTable(
      columns: ["list", "name", "count", "users", "share"], rows: rows("model", models) + rows("system", systems))
  }
}

extension LossesReport {
  /// The ledger's figures by the names that clients give them.
  private var ledgerFigures: [(name: String, count: Int)] {
    [
      ("tracked", ledger.tracked), ("delivered", ledger.delivered), ("waiting", ledger.waiting),
      ("in_flight", ledger.inFlight), ("dropped", ledger.dropped),
    ]
  }

  fileprivate var ledgerTable: ReportTable {
    ReportTable(
      title: "On devices", columns: ["installs"] + ledgerFigures.map(\.name) + ["updated"],
      rows: [
        [.count(ledger.installs)] + ledgerFigures.map { .count($0.count) }
          + [.text(ledger.updated?.isoText ?? "never")]
      ])
  }

  fileprivate var flatTable: ReportTable {
    let reasons: [[ReportTable.Cell]] = losses.map {
      [.text("reason"), .text($0.name), .count($0.count), .count($0.users), .share($0.share)]
    }
    let ledger: [[ReportTable.Cell]] = ledgerFigures.map {
      [.text("ledger"), .text($0.name), .count($0.count), .count(self.ledger.installs), .text("")]
    }
    return ReportTable(columns: ["list", "name", "count", "users", "share"], rows: reasons + ledger)
  }
}

extension CountriesReport {
  fileprivate var table: ReportTable {
    ReportTable(
      columns: ["code", "country", "count", "users", "share"],
      rows: countries.map { [.text($0.code), .text($0.name), .count($0.count), .count($0.users), .share($0.share)] })
  }
}

extension LiveReport {
  fileprivate var table: ReportTable {
    ReportTable(
      columns: ["received", "kind", "name", "install", "country", "version", "model", "properties"],
      rows: events.map { event in
        let properties = event.properties.map { "\($0.name)=\($0.value.displayText)" }.joined(separator: " ")
        return [
          .text(event.received.isoText), .text(event.kind), .text(event.name), .count(event.install),
          .text(event.country), .text(event.version), .text(event.model), .text(properties),
        ]
      })
  }
}
