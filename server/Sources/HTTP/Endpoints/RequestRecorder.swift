import HTTPTypes
import Hummingbird
package import Ingest
import Warehouse

/// Records the requests for pages and reports that are being answered, so that one that stops the server is not answered
/// again and again.
package struct RequestRecorder: Sendable {
  let journal: any RequestJournal
  let key: DuplicateHashKey
  /// The paths that aren't worth it, since they read no stored rows and are asked for often.
  let unrecordedPaths: Set<String>

  package init(journal: any RequestJournal, key: DuplicateHashKey, unrecordedPaths: Set<String>) {
    (self.journal, self.key, self.unrecordedPaths) = (journal, key, unrecordedPaths)
  }

  /// Returns true if requests of a route are recorded. Those that change something aren't, and neither are questions in the
  /// body of a request: the warehouse records what it does for them.
  func records(_ method: HTTPRequest.Method, _ route: String) -> Bool {
    (method == .get || method == .head) && !unrecordedPaths.contains(route)
  }

  /// Begins a request; the caller calls the result when it is answered. Throws ``Warehouse/WarehouseError`` with code `held`.
  func begin(_ request: Request, route: String) throws(WarehouseError) -> @Sendable () -> Void {
    // Addresses may contain secrets and names of persons, so they are told apart by a keyed hash.
    let hash = key.hash(of: request.head.path ?? "", kind: 0, app: 0)
    let end = try journal.begin(
      request: "\(request.method) \(route), number \(String(UInt64(bitPattern: hash), radix: 16))")
    #if DEBUG
      if let name = request.uri.queryParameters["fault"].map(String.init) {
        Array(name.utf8).withUnsafeBytes { InjectedFault.page.trap($0) }
      }
    #endif
    return end
  }
}
