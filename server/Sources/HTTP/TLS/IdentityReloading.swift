package import Logging
import ServiceLifecycle

/// Looks every few seconds whether the files of an identity have changed.
package struct IdentityReloading: Service {
  package static let interval = Duration.seconds(10)

  let identity: any TLSIdentity
  let sleep: @Sendable (Duration) async throws -> Void
  let logger: Logger

  package init(
    identity: any TLSIdentity, sleep: @escaping @Sendable (Duration) async throws -> Void, logger: Logger
  ) {
    (self.identity, self.sleep, self.logger) = (identity, sleep, logger)
  }

  package func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await sleep(Self.interval)) != nil {
        do {
          if try identity.reload() { logger.info("The TLS certificate has changed; new connections use it") }
        } catch {
          logger.error("The TLS certificate has changed, but the previous one stays in use: \(error)")
        }
      }
    }
  }
}
