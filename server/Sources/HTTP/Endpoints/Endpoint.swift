import Foundation
import Hummingbird
import Reports
package import Warehouse

/// A handler with the right that it requires. Routes consist of endpoints, so no handler can do without that decision.
package struct Endpoint: Sendable {
  /// A required right.
  package enum Requirement: Sendable, Hashable {
    /// None: the handler is public, or checks a secret of its own.
    case nothing
    /// The login of a person.
    case login
    /// A permission: for the app that the address names, otherwise for the server.
    case permission(Permission)
    /// Reading the report that a parameter of the address names: some reports show personal data.
    case report(parameter: String)
    /// Reading what a path of App Center's analytics API names: its log flows show single events.
    case appCenterReport
    /// Reading figures of the whole server: for owners, and for tokens that are not limited to an app.
    case server

    /// True for pages of reports. Only they are compressed, because other pages may show secrets: someone who can choose a part
    /// of a page and watch the connection learns something about the rest from its compressed length.
    var isForReading: Bool {
      switch self {
      case .permission(.read), .permission(.readPersonalData), .report: true
      default: false
      }
    }

    /// Returns the required permission for a request.
    package func permission(_ context: CollectorContext) -> Permission? {
      switch self {
      case .nothing, .login, .server: return nil
      case .permission(let permission): return permission
      case .appCenterReport:
        let path = context.parameters.getCatchAll().map { $0.removingPercentEncoding ?? String($0) }
        return AppCenterQuery.showsPersonalData(path: path) ? .readPersonalData : .read
      case .report(let parameter):
        let name = context.parameters.get(parameter) ?? ""
        let reports = ReportRegistry.standard.app + ReportRegistry.standard.view
        return reports.contains { $0.name == name && $0.showsPersonalData } ? .readPersonalData : .read
      }
    }
  }

  /// The kinds of clients, which get errors in different forms. Apps send in protocols, which decide themselves what they
  /// refuse.
  package enum Client: Sendable { case program, reader, app }

  package let requirement: Requirement
  package let client: Client
  package let handle: RouteTable.Handler

  /// An endpoint that anyone can use.
  package static func open(_ handle: @escaping RouteTable.Handler) -> Endpoint {
    Endpoint(requirement: .nothing, client: .program, handle: handle)
  }

  /// A page or a form.
  package static func page(_ requirement: Requirement, _ handle: @escaping RouteTable.Handler) -> Endpoint {
    Endpoint(requirement: requirement, client: .reader, handle: handle)
  }

  /// An endpoint for programs.
  package static func api(
    _ requirement: Requirement, isProtocol: Bool = false, _ handle: @escaping RouteTable.Handler
  ) -> Endpoint {
    Endpoint(requirement: requirement, client: isProtocol ? .app : .program, handle: handle)
  }
}
