import Warehouse

extension StorageReport {
  /// The free space, the growth and the forecast, in two or three sentences.
  package var summary: String {
    let room =
      free.map { "\(byteText($0)) are free, and Tern uses \(byteText(bytes))." } ?? "Tern uses \(byteText(bytes))."
    let growth = Int64(bytesPerDay.rounded())
    guard growth > 0 else { return "\(room) It isn’t growing at present." }
    let daily = "It grows by about \(byteText(growth)) a day"
    guard let days = daysUntilFull else { return "\(room) \(daily)." }
    let time = days == 0 ? "today" : days == 1 ? "in about a day" : "in about \(grouped(days)) days"
    return "\(room) \(daily); at this rate, the server stops collecting \(time)."
  }

  /// The headings of ``lines``.
  package static let columns = [
    "App", "Rows", "Estimated size", "Rows a day", "Growth a day", "Rows kept", "Keeping \(trialDays) days would free",
  ]

  /// The usage of each app in words: a cell for each of ``columns``.
  package var lines: [[String]] {
    apps.map { use in
      [
        "\(use.app.id) \(use.app.name)", grouped(use.rows), byteText(use.bytes),
        grouped(Int(use.rowsPerDay.rounded())), byteText(Int64(use.bytesPerDay.rounded())),
        use.app.keeping?.words ?? "forever",
        use.freeableRows == 0 ? "nothing" : "\(byteText(use.freeableBytes)), \(grouped(use.freeableRows)) rows",
      ]
    }
  }
}

/// The report in the JSON of the API and of the command line.
package struct StorageDescription: Encodable, Sendable {
  struct AppUse: Encodable {
    let app: Int64
    let name: String
    let rows: Int
    let bytes: Int64
    let rowsPerDay: Double
    let bytesPerDay: Double
    let freeableRows: Int
    let freeableBytes: Int64
  }

  let parts: [String: Int64]
  let free: Int64?
  let reserved: Int64
  let bytesPerDay: Double
  let daysUntilFull: Int?
  let apps: [AppUse]

  /// Describes a report.
  package init(_ report: StorageReport) {
    (parts, free, reserved) = (report.parts, report.free, report.reserved)
    (bytesPerDay, daysUntilFull) = (report.bytesPerDay.rounded(), report.daysUntilFull)
    apps = report.apps.map { use in
      AppUse(
        app: use.app.id.rawValue, name: use.app.name, rows: use.rows, bytes: use.bytes,
        rowsPerDay: (use.rowsPerDay * 10).rounded() / 10, bytesPerDay: use.bytesPerDay.rounded(),
        freeableRows: use.freeableRows, freeableBytes: use.freeableBytes)
    }
  }
}
