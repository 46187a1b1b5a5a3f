package import NIOCore
import ServerBase
import TernBase

/// The open connections of a running collector.
package final class ConnectionRegistry: Sendable {
  private struct State {
    var table: ConnectionTable<ObjectIdentifier>
    var channels: [ObjectIdentifier: any Channel] = [:]
  }

  private let state: Locked<State>
  private let proxies: TrustedProxies
  private let start = ContinuousClock.now

  /// - Parameter proxies: Addresses without a limit per client, because they relay connections of many clients.
  package init(maximum: Int, maximumPerClient: Int, proxies: TrustedProxies = TrustedProxies()) {
    self.proxies = proxies
    state = Locked(State(table: ConnectionTable(maximum: maximum, maximumPerClient: maximumPerClient)))
  }

  /// The number of open connections.
  package var count: Int { state.withLock { $0.table.count } }

  /// Registers a connection until it is closed, and closes another if there are too many.
  package func open(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    let now = ContinuousClock.now - start
    let address = IPAddress(channel.remoteAddress)
    let isProxy = address.map(proxies.contains) ?? false
    let victim = state.withLock { state in
      state.channels[id] = channel
      let victim = state.table.opened(id, client: isProxy ? nil : address?.share ?? "", at: now)
      return victim.flatMap { state.channels[$0] }
    }
    victim?.close(promise: nil)
    channel.closeFuture.whenComplete { [state] _ in
      state.withLock { state in
        state.table.closed(id)
        state.channels[id] = nil
      }
    }
  }

  /// Records the phase of a connection.
  package func change(_ channel: any Channel, to phase: ConnectionPhase) {
    let now = ContinuousClock.now - start
    let victim = state.withLock { state in
      state.table.changed(ObjectIdentifier(channel), to: phase, at: now).flatMap { state.channels[$0] }
    }
    victim?.close(promise: nil)
  }
}
