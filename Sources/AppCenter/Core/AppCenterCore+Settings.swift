package import Foundation
import Tern
import TernBase
package import TernEvents

/// App and device properties that the app sets.
extension AppCenterCore {
  package var installID: UUID? {
    let id = state.withLock { $0.client }?.installID ?? store.installID
    return UUID(uuidString: id.description)
  }

  private static let maximumUserID = 256

  package var userID: String? {
    get { state.withLock { $0.userID } }
    set {
      let client = decide { state, messages -> TernClient? in
        guard state.configured == .byApp, let client = state.client else {
          messages.add(.error, .core, "Set the user after the app has started the SDK with an app secret.")
          return nil
        }
        if let newValue, newValue.utf16.count > Self.maximumUserID {
          messages.add(.error, .core, "A user ID has at most \(Self.maximumUserID) characters; the previous one stays.")
          return nil
        }
        state.userID = newValue
        return client
      }
      client?.identify(newValue)
    }
  }

  package var countryCode: String? {
    get { state.withLock { $0.countryCode } }
    set {
      let client = state.withLock { state in
        state.countryCode = newValue
        return state.client
      }
      client?.setCountryCode(newValue ?? environment.carrierCountry())
    }
  }

  package var dataResidencyRegion: String? {
    get { state.withLock { $0.dataResidencyRegion } }
    set {
      let client = state.withLock { state in
        state.dataResidencyRegion = newValue
        return state.client
      }
      client?.setDeviceFacts(["dataResidencyRegion": newValue])
    }
  }

  /// Adds the properties of a wrapper SDK to the device.
  package func setWrapper(_ facts: [String: String?]) {
    let client = state.withLock { state in
      state.wrapper = facts
      return state.client
    }
    client?.setDeviceFacts(facts)
  }

  package func setMaximumSize(_ bytes: Int, _ handler: (@Sendable (Bool) -> Void)?) {
    guard let answer = decide({ $0.setMaximumSize(bytes, handler, &$1) }), let handler else { return }
    environment.callback { handler(answer) }
  }

  /// Records an event according to App Center's rules.
  package func track(
    _ name: String, _ flags: Flags, _ traits: ServiceTraits,
    _ properties: (inout [LogMessage]) -> Properties
  ) {
    var messages: [LogMessage] = []
    defer { logger.write(messages) }
    guard let client = state.withLock({ $0.client(of: traits, &messages) }) else { return }
    guard let name = EventRules.name(name, &messages) else { return }
    let receipt = client.track(name, properties(&messages), priority: flags.priority(&messages))
    messages += LogMessage.refusal(receipt, "The event \(name)", traits.tag)
  }
}
