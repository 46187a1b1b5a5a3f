package import HTTP
import TernEvents
package import Warehouse

extension Ingestion {
  /// The paths to which apps send events.
  package static let paths = Set([NativeProtocol.path, AppCenterEndpoints.path] + MeasurementEndpoints.paths)
    .union(ClientEndpoints.paths)

  /// Adds what apps send.
  package func add(to root: EndpointGroup, tokens: any AccessStore, _ settings: ProtocolSettings) {
    let root = root.tagged(.events)
    NativeEndpoints(ingestion: self, tokens: tokens, limits: settings.native).add(to: root)
    AppCenterEndpoints(ingestion: self, limits: settings.appCenter, unknownSecret: settings.unknownSecret)
      .add(to: root)
    let clients = ClientEndpoints(ingestion: self, limits: settings.clients, unknownSecret: settings.unknownSecret)
    clients.add(to: root)
    MeasurementEndpoints(ingestion: self, limits: settings.measurement, clients: clients).add(to: root)
    MeasurementDebugEndpoints(ingestion: self, limits: settings.measurement).add(to: root)
  }

  /// Adds what monitoring asks.
  ///
  /// - Parameters:
  ///   - problems: Returns what fails in the store.
  ///   - gauges: Returns the state of everything else that `/metrics` shows.
  package func addHealth(
    to root: EndpointGroup, hasPublicMetrics: Bool, problems: @escaping @Sendable () -> [WarehouseProblem],
    gauges: @escaping @Sendable () -> CollectorGauges
  ) {
    HealthEndpoints(ingestion: self, hasPublicMetrics: hasPublicMetrics, problems: problems, gauges: gauges)
      .add(to: root.tagged(.server))
  }
}
