package import JSON
import Warehouse

extension StorageReport {
  /// The free space, the growth and the forecast, in two or three sentences.
  package var summary: String {
    let room =
      free.map { "\(byteText($0)) are free, and Tern uses \(byteText(bytes))." } ?? "Tern uses \(byteText(bytes))."
    let growth = Int64(bytesPerDay.rounded())
    let daily = "It grows by about \(byteText(growth)) a day"
    if let free, free < reserved {
      return """
        \(room) Nothing is collected, because less than the reserve of \(byteText(reserved)) is free: free some space, or \
        choose a smaller --disk-reserve.\(growth > 0 ? " \(daily)." : "")
        """
    }
    guard growth > 0 else { return "\(room) It isn’t growing at present." }
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

extension StorageReport {
  package static let members: [JSONMember<StorageReport>] = [
    .shown("apps", .list(.object(AppUse.schema))) { .array($0.apps.map(\.tree)) },
    .shown("bytesPerDay", .number.described("The growth over the last \(days) days.")) {
      .number($0.bytesPerDay.rounded())
    },
    .shownIfAny(
      "daysUntilFull", .count.described("The days until nothing can be collected; only if the disk fills.")
    ) { report in report.daysUntilFull.map { .integer($0) } },
    .shownIfAny("free", .count) { report in report.free.map { .integer($0) } },
    .shown("parts", .object.described("The bytes of each part of the data directory.")) { report in
      .object(report.parts.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })
    },
    .shown("reserved", .count) { .integer($0.reserved) },
  ]
}

extension StorageReport.AppUse {
  fileprivate static let schema: Schema.Members = [
    "app": .count, "bytes": .count, "bytesPerDay": .number, "freeableBytes": .count,
    "freeableRows": .count.described("The rows older than \(StorageReport.trialDays) days."), "name": .text,
    "rows": .count, "rowsPerDay": .number,
  ]

  fileprivate var tree: JSONTree {
    .object([
      ("app", .integer(app.id.rawValue)), ("bytes", .integer(bytes)), ("bytesPerDay", .number(bytesPerDay.rounded())),
      ("freeableBytes", .integer(freeableBytes)), ("freeableRows", .integer(freeableRows)), ("name", .text(app.name)),
      ("rows", .integer(rows)), ("rowsPerDay", .number((rowsPerDay * 10).rounded() / 10)),
    ])
  }
}
