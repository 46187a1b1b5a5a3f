package import TernEvents
package import Warehouse

/// Shared links with their names in words, for the audit log.
extension CatalogEditor where Self: AccessStore {
  /// Shares a page of an app and returns the secret of its link.
  ///
  /// - Throws: `WarehouseError` with code `invalid` if there is no such page or it shows personal data.
  package func share(
    _ report: String, query: String, of app: App, sites: [String], lasting duration: Duration?, now: Timestamp
  ) throws -> String {
    let name = try checkShareable(report, query: query, app: app, now: now)
    return try createLink(
      app: app.id, report: report, query: query, name: name, sites: sites, lasting: duration
    ).secret
  }

  /// Revokes a link; returns false if there is none.
  @discardableResult
  package func revoke(_ link: SharedLink?, app: App, now: Timestamp) throws -> Bool {
    guard let link else { return false }
    let name = name(of: link, app: app, now: now, segments: try segments(app: app.id), isForAudit: true)
    return try revokeLink(link.id, app: link.app, name: name)
  }
}
