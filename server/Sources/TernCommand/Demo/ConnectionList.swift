import NIOConcurrencyHelpers
import NIOCore

/// The open connections of a gate.
final class ConnectionList: Sendable {
  private let channels = NIOLockedValueBox<[ObjectIdentifier: any Channel]>([:])

  func add(_ channel: any Channel) {
    let key = ObjectIdentifier(channel)
    channels.withLockedValue { $0[key] = channel }
    channel.closeFuture.whenComplete { [channels] _ in channels.withLockedValue { $0[key] = nil } }
  }

  func closeAll() {
    let open = channels.withLockedValue { Array($0.values) }
    for channel in open { channel.close(promise: nil) }
  }
}
