import ServerBase
import Warehouse

/// The days of a report that Google Analytics (Universal Analytics) wrote as CSV (docs/export-format.md).
///
/// Such a file begins with comments: the view, the report and its days. A table of sums over all days may follow. The
/// table of days comes last, after an empty line; only that one is read.
struct AnalyticsReportFile: Sendable, Hashable {
  /// The reason why a file can't be used, in words for its owner.
  struct Fault: Error, Hashable, CustomStringConvertible {
    /// The reason.
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// The maximum size of a file, in bytes.
  static let maximumBytes = 16 << 20
  /// Twenty years.
  static let maximumDays = 7_305
  static let maximumMetricBytes = 200

  /// The name that the file gives for the view in Google Analytics.
  var view = ""
  /// The name of the report.
  var report = ""
  var days: ClosedRange<Day>
  /// The figures, in the order of the file.
  var figures: [ImportedFigure] = []
  /// The headers of tables that have no days, and were left out.
  var skipped: [String] = []

  /// Reads a file.
  ///
  /// - Throws: ``Fault`` if it isn't such a file, has no table of days, or has figures that can't be read.
  init(_ bytes: [UInt8]) throws(Fault) {
    guard bytes.count <= Self.maximumBytes else { throw Fault("It is larger than 16 MiB. Choose fewer days or rows.") }
    guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
      throw Fault("It is UTF-16, as \"TSV for Excel\" is. Export the report as CSV.")
    }
    var lines = DelimitedText(bytes)
    var comments: [String] = []
    var table: Table?
    var range: ClosedRange<Day>?
    var read: [Table] = []
    func close() {
      if let table { read.append(table) }
      table = nil
    }
    do {
      while let fields = try lines.next() {
        let text = fields.joined(separator: ",")
        if text.hasPrefix("#") {
          guard table == nil, read.isEmpty else {
            throw Fault("Line \(lines.line) begins another report. Import one report per file.")
          }
          comments.append(text.drop { $0 == "#" || $0 == " " }.description)
        } else if text.allSatisfy({ $0 == "," || $0 == " " }) {
          close()
        } else if table == nil {
          if range == nil { range = try Self.range(comments) }
          table = Table(header: fields, line: lines.line)
        } else {
          table?.rows.append((lines.line, fields))
        }
      }
    } catch let fault as Fault {
      throw fault
    } catch let tooLong as DelimitedText.LineTooLong {
      throw Fault("Line \(tooLong.line) is longer than 64 KiB or has more than 200 columns.")
    } catch {
      throw Fault("It can't be read.")
    }
    close()
    guard let range else { throw Fault("It isn't a Google Analytics report: it has no table after lines with #.") }
    days = range
    let names = comments.filter { !$0.isEmpty && !$0.allSatisfy { $0 == "-" } && Self.days($0) == nil }
    view = Self.shortened(names.first ?? "")
    report = Self.shortened(names.dropFirst().first ?? "")
    for table in read {
      if let figures = try table.figures(in: range) {
        self.figures += figures
      } else {
        skipped.append(Self.shortened(table.header.joined(separator: ",")))
      }
    }
    guard !figures.isEmpty else {
      throw Fault(
        "It has no table of days. Export a report with its chart by day, which has a table with \"Day Index\", or a "
          + "custom report by \"Date\".")
    }
    guard Set(figures.map { Place(day: $0.day, metric: $0.metric) }).count == figures.count else {
      throw Fault("It has more than one figure for a day and metric, as reports with segments or comparisons have.")
    }
  }

  private struct Place: Hashable {
    var day: Day
    var metric: String
  }

  private static func shortened(_ text: String) -> String {
    text.utf8.count <= maximumMetricBytes ? text : String(text.prefix(maximumMetricBytes / 4))
  }

  private static func range(_ comments: [String]) throws(Fault) -> ClosedRange<Day> {
    let ranges = comments.compactMap { days($0) }
    guard let range = ranges.first else {
      throw Fault("It isn't a Google Analytics report: no line with # has its days, such as # 20160101-20160131.")
    }
    guard ranges.count == 1 else { throw Fault("It compares two periods. Export each of them.") }
    guard range.count <= maximumDays else { throw Fault("It covers more than 20 years. Export fewer years at a time.") }
    return range
  }

  private static func days(_ comment: String) -> ClosedRange<Day>? {
    let parts = comment.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = day(parts[0]), let last = day(parts[1]), first <= last else { return nil }
    return first...last
  }

  /// Reads a day such as `20160131`.
  fileprivate static func day(_ text: some StringProtocol) -> Day? {
    guard text.utf8.count == 8, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Day("\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))")
  }

  /// A table, as it is in the file.
  private struct Table {
    let header: [String]
    let line: Int
    var rows: [(line: Int, fields: [String])] = []

    init(header: [String], line: Int) { (self.header, self.line) = (header, line) }

    /// Returns the figures by day; `nil` if the table is about something else.
    func figures(in days: ClosedRange<Day>) throws(Fault) -> [ImportedFigure]? {
      guard header.count > 1, header[0] == "Day Index" || header[0] == "Date" else { return nil }
      let metrics = header.dropFirst().map { $0.trimmed }
      guard metrics.allSatisfy({ !$0.isEmpty && $0.utf8.count <= maximumMetricBytes }) else {
        throw Fault("Line \(line) has a metric without a name, or with one of more than 200 bytes.")
      }
      // The last line has totals, and no day.
      let rows = rows.filter { !$0.fields[0].trimmed.isEmpty }
      if header[0] == "Day Index", rows.count != days.count {
        throw Fault("It has \(rows.count) days, but its period has \(days.count).")
      }
      var figures: [ImportedFigure] = []
      for (index, row) in rows.enumerated() {
        let text = row.fields[0].trimmed
        // An index writes days in the form of the user's language. The day follows from its place, and is only checked.
        let expected = days.lowerBound.advanced(by: index)
        guard row.fields.count == header.count,
          let day = AnalyticsReportFile.day(text) ?? (Self.isForm(text, of: expected) ? expected : nil),
          days.contains(day)
        else {
          throw Fault("Line \(row.line) isn't a line of a table of days from \(days.lowerBound) to \(days.upperBound).")
        }
        for (metric, field) in zip(metrics, row.fields.dropFirst()) {
          let text = field.trimmed
          // Google Analytics writes these where there is no figure, for example nothing to divide by.
          if text.isEmpty || text == "--" || text == "(not set)" { continue }
          guard ImportedValue(text) != nil else {
            throw Fault(
              "Line \(row.line) has \"\(shortened(text))\" for \(metric), which isn't a figure in English (US). "
                + "Export the report with that language, and without other dimensions.")
          }
          figures.append(ImportedFigure(day: day, metric: metric, text: text))
        }
      }
      return figures
    }

    /// True if a text such as `1/31/16` or `31.01.2016` may stand for a day.
    private static func isForm(_ text: String, of day: Day) -> Bool {
      let parts = text.split { !$0.isNumber }.compactMap { Int($0) }
      let (year, month, date) = day.components
      guard parts.count == 3, text.utf8.count <= 20 else { return false }
      let years = [year, year % 100]
      return years.contains { year in
        parts == [month, date, year] || parts == [date, month, year] || parts == [year, month, date]
      }
    }
  }
}
