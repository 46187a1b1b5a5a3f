import Ingest
import JSON
import Questions
import Reports
import TernBase
import Warehouse

/// The answer on a page.
struct QuestionView {
  /// A chart or another drawing.
  struct Picture {
    var heading: String
    /// One sentence that says what the picture shows.
    var about: String
    /// The HTML.
    var content: String
    /// The part that is drawn, for example `4 of 9 values`; `nil` for all.
    var note: String?
    /// Links to other ways of drawing it.
    var displays: [TemplateValues] = []
  }

  var message: String?
  var emptyState: (heading: String, text: String)?
  /// A sentence about the figures, for cards, which have no room for one about each picture.
  var note: String?
  /// The one figure of the answer, for cards.
  var figure: CardFigure?
  /// Large figures as HTML.
  var tiles: String?
  var pictures: [Picture] = []
  var grids: [AnswerGrid] = []
  /// True if the tables say in figures what the pictures show, and open on demand.
  var foldsGrids = false
  /// The numbers of the errors that are new in releases.
  var newErrors: [(version: String, groups: [Int])] = []
  /// The buckets of the answer; `nil` for the values themselves.
  var bins: HistogramBins?
  /// The cost of the answer in words.
  var facts: String?

  init() {}

  init(_ answered: AnsweredQuestion) {
    facts = "\(counted(answered.rowsRead, "row")) read in \(grouped(answered.milliseconds)) ms."
    message = answered.firstKeptDay.map {
      "Rows before \($0.longText) are gone: this app keeps them for a limited time."
    }
  }
}

/// A table of a page. The first cell of each row is its heading.
struct AnswerGrid {
  var heading: String
  /// One sentence that says what the table shows.
  var about: String
  var columns: [String]
  var rows: [[TemplateValues]]
  /// A sentence about the rows; `nil` for none.
  var note: String?
  /// The addresses of the pages with the rows before and after these.
  var previous: String?
  var next: String?
  /// The anchor of the table on its page.
  var id: String?

  /// The table with its first rows only.
  func shortened(to length: Int) -> AnswerGrid {
    var grid = self
    grid.rows = Array(rows.prefix(length))
    return grid
  }

  var values: TemplateValues {
    [
      "heading": heading, "about": about, "columns": columns, "note": note, "previous": previous, "next": next,
      "anchor": id,
      "rows": rows.map { ["cells": $0] as TemplateValues },
    ]
  }
}

extension TemplateValues {
  /// A drawing of a page.
  static func picture(_ picture: QuestionView.Picture) -> TemplateValues {
    [
      "heading": picture.heading, "about": picture.about, "content": picture.content, "note": picture.note,
      "hasDisplays": !picture.displays.isEmpty, "displays": picture.displays,
    ]
  }

  /// The heading of a row.
  ///
  /// - Parameters:
  ///   - whole: The identifier that the text shortens.
  ///   - filter: The address of the page with a filter for this row.
  static func head(
    _ text: String, link: String? = nil, whole: String? = nil, filter: String? = nil
  ) -> TemplateValues {
    ["text": text, "target": link, "whole": whole, "isHead": true, "filterLink": filter]
  }

  /// A cell of a table; the style is a class of the style sheet.
  ///
  /// - Parameter filter: The address of the page with a filter for this value.
  static func cell(
    _ text: String, link: String? = nil, style: String = "", bar: String = "", filter: String? = nil
  ) -> TemplateValues {
    ["text": text, "target": link, "style": style, "bar": bar, "filterLink": filter]
  }
}

extension QuestionScope {
  /// True if the range ends on a day.
  func endsOn(_ day: Day) -> Bool {
    if case .dates(_, let last) = range { last == day } else { false }
  }
}

/// A value for display, by its name if the dimension has codes.
func valueText(_ value: QuestionValue?, of dimension: String? = nil) -> String {
  switch value {
  case .text(let text) where dimension == "country": countryName(text.text)
  case .text(let text) where dimension == "model": modelName(text.text)
  case .text(let text) where dimension == "language": shown(Ranking.Codes.languages.name(of: text.text))
  case .text(let text): shown(text.text)
  case .number(let number): JSONNumber.plain(number)
  case nil: "(not set)"
  }
}
