import TernBase

#if canImport(Darwin)
  import Dispatch
  import Network
  import TernEvents

  /// Observes the system's path monitor.
  public struct SystemReachability: Reachability {
    /// Creates the source.
    public init() {}

    /// Calls `onChange` whenever the network becomes reachable again or through another interface.
    public func observe(_ onChange: @escaping @Sendable () -> Void) -> ReachabilityObservation {
      let queue = DispatchQueue(label: "tern.reachability", qos: .utility)
      let changes = Locked(NetworkPathChanges())
      let monitor = Locked(NWPathMonitor())
      monitor.withLock { monitor in
        monitor.pathUpdateHandler = { path in
          let path = NetworkPath(
            isSatisfied: path.status == .satisfied, interfaces: path.availableInterfaces.map { $0.name })
          if changes.withLock({ $0.updated(path) }) { onChange() }
        }
        monitor.start(queue: queue)
      }
      return ReachabilityObservation { whenEnded in
        monitor.withLock { $0.cancel() }
        // The queue is serial, so any update in progress finishes first.
        queue.async(execute: whenEnded)
      }
    }
  }
#endif
