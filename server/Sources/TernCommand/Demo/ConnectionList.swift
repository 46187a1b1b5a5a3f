import NIOCore
import TernBase

/// The open connections of a gate.
final class ConnectionList: Sendable {
  private let channels = Locked<[ObjectIdentifier: any Channel]>([:])

  func add(_ channel: any Channel) {
    let key = ObjectIdentifier(channel)
    channels.withLock { $0[key] = channel }
    channel.closeFuture.whenComplete { [channels] _ in channels.withLock { $0[key] = nil } }
  }

  func closeAll() {
    let open = channels.withLock { Array($0.values) }
    for channel in open { channel.close(promise: nil) }
  }
}
