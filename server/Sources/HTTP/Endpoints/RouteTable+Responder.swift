package import Hummingbird
package import Warehouse

extension RouteTable {
  /// Returns what answers requests: all routes, behind what is done with every request.
  ///
  /// - Parameter log: The log of requests; `nil` for none.
  package func responder(
    clients: ForwardedClients, log: AccessLog?, metrics: CollectorMetrics, clocks: Clocks
  ) -> RouterResponder<CollectorContext> {
    let router = Router(context: CollectorContext.self)
    router.add(middleware: clients)
    if let log { router.add(middleware: AccessLogging(log: log, wallTime: clocks.wallTime, uptime: clocks.uptime)) }
    router.add(middleware: SecurityHeaders())
    router.add(middleware: ErrorMiddleware(metrics: metrics, uptime: clocks.uptime, pages: pages))
    install(on: router)
    return router.buildResponder()
  }
}
