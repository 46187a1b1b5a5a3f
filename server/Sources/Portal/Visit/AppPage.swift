package import Alerts
package import Questions
package import TernEvents
package import Warehouse

/// A page of an app that its address alone opens: the site adds the address with the right of the page's place.
package protocol AppPage: Page {
  /// Its entry in the menu, its address, and the right to open it.
  static var place: AppPlace { get }

  /// Reads what the page shows.
  init(_ request: some PageRequest) async throws
}

/// A request for a page of an app: what the page reads.
package protocol PageRequest: Sendable {
  /// The app that the address names.
  var app: App { get }
  /// The apps that the reader may see.
  var apps: [App] { get }
  /// The parameters of the address.
  var parameters: [String: String] { get }
  /// The fields of a form that failed; `nil` if none did, or if the page's form has other fields.
  var fields: [String: String]? { get }
  /// The outcome of the form that was posted.
  var result: FormResult { get }
  var now: Timestamp { get }
  /// Apps and what belongs to them.
  var catalog: any PageCatalog { get }

  /// Returns the app's saved segments that the reader may use.
  func segments() throws -> [SavedSegment]
  /// Answers the page's questions.
  var ask: PageVisit.Ask { get }
  /// Makes the reader's visit.
  ///
  /// - Parameter values: The values of which the page says whether a row has ever had them.
  func visit(naming values: Set<NamedValue>) async throws -> PageVisit
  /// Reads metrics when it is the client's turn.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any MetricsStore) async throws -> Value
  ) async throws -> Value
}

/// The parts of the catalog that pages read.
package typealias PageCatalog = CatalogEditor & AccessStore & AlertStore & MailReportStore

extension PageRequest {
  func visit() async throws -> PageVisit { try await visit(naming: []) }
}
