import NIOConcurrencyHelpers
import NIOCore

/// The open connections of a running collector.
final class ConnectionRegistry: Sendable {
  private struct State {
    var table: ConnectionTable<ObjectIdentifier>
    var channels: [ObjectIdentifier: any Channel] = [:]
  }

  private let state: NIOLockedValueBox<State>
  private let start = ContinuousClock.now

  init(maximum: Int, maximumPerClient: Int) {
    state = NIOLockedValueBox(State(table: ConnectionTable(maximum: maximum, maximumPerClient: maximumPerClient)))
  }

  /// How many connections are open.
  var count: Int { state.withLockedValue { $0.table.count } }

  /// Takes a connection in until it is closed, and closes another one if there are too many.
  func open(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    let now = ContinuousClock.now - start
    let victim = state.withLockedValue { state in
      state.channels[id] = channel
      let victim = state.table.opened(id, client: channel.remoteAddress?.clientShare ?? "", at: now)
      return victim.flatMap { state.channels[$0] }
    }
    victim?.close(promise: nil)
    channel.closeFuture.whenComplete { [state] _ in
      state.withLockedValue { state in
        state.table.closed(id)
        state.channels[id] = nil
      }
    }
  }

  /// Notes what a connection does now.
  func change(_ channel: any Channel, to phase: ConnectionPhase) {
    let now = ContinuousClock.now - start
    let victim = state.withLockedValue { state in
      state.table.changed(ObjectIdentifier(channel), to: phase, at: now).flatMap { state.channels[$0] }
    }
    victim?.close(promise: nil)
  }
}
