package import Questions
package import Reports
package import ServerBase
package import Warehouse

/// The visit of a reader: made once for each request, it says whose page it is and what belongs to the reader's view of it.
package struct PageVisit: Sendable {
  /// Answers the questions of a page; throws `QuestionError` beyond the limits.
  package typealias Ask = QuestionAsker

  let server: PortalServer
  /// The address of this server that the reader has used.
  let serverAddress: String
  /// The reader, whose rights decide on links and forms.
  package let reader: PortalReader
  /// The app's saved segments that the reader may use.
  package let segments: [SavedSegment]
  /// The notes about the days of charts.
  let notes: [ChartNote]
  /// The values that the reader asked for and no row has ever had, with similar ones.
  let unknownValues: [NamedValue: [String]]
  /// The mistake in the range of days that the reader asked for.
  package let rangeMistake: RangeMistake?
  /// The decimal sign of the reader's language, for the files of pages.
  let decimal: CSVStyle.Decimal
  /// The colour scheme of a shared page; `nil` for that of the browser.
  let theme: Theme?

  package init(
    _ server: PortalServer, address: String? = nil, reader: PortalReader = PortalReader(),
    segments: [SavedSegment] = [], notes: [ChartNote] = [], unknownValues: [NamedValue: [String]] = [:],
    rangeMistake: RangeMistake? = nil, decimal: CSVStyle.Decimal = .point, theme: Theme? = nil
  ) {
    (self.server, serverAddress, self.reader) = (server, address ?? server.address, reader)
    (self.segments, self.notes, self.unknownValues) = (segments, notes, unknownValues)
    (self.rangeMistake, self.decimal, self.theme) = (rangeMistake, decimal, theme)
  }

  var templates: Templates { server.templates }

  /// A page without the navigation of an app.
  func layout(title: String, body: String, script: String? = nil) -> String {
    server.layout(title: title, body: body, script: script, theme: theme)
  }
}
