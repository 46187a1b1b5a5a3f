// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import TernEvents

/// A part of the SDK that can be started and switched.
public protocol Service: NSObjectProtocol {
  /// Whether the service records; kept over launches, false before it was started.
  static var enabled: Bool { get set }
}

/// What all services have in common.
#if canImport(ObjectiveC)
  @objc(MSACServiceAbstract)
#endif
open class ServiceAbstract: NSObject, Service {
  /// Whether the service records; kept over launches, false before it was started and while there is nowhere to keep
  /// what it records.
  ///
  /// Switching it off erases what waits of the service.
  open class var enabled: Bool {
    get { traitsOfSelf.map { AppCenterCore.shared.isEnabled($0) } ?? false }
    set {
      if let traits = traitsOfSelf { AppCenterCore.shared.setEnabled(newValue, traits) }
    }
  }

  private class var traitsOfSelf: ServiceTraits? { (self as? any StartableService.Type)?.traits }

  /// Whether the application, and not a library, started the service.
  open var startedFromApplication: Bool {
    get { AppCenterCore.shared.isFromApplication(Self.traitsOfSelf) }
    set {}
  }

  /// Does nothing: `AppCenter.start` starts services, and there are no channels.
  open func start(
    withChannelGroup channelGroup: (any ChannelGroupProtocol)!, appSecret: String!, transmissionTargetToken: String!,
    fromApplication: Bool
  ) {}

  /// Does nothing: the application's start gives a service its secret.
  open func updateConfiguration(withAppSecret appSecret: String!, transmissionTargetToken: String!) {}

  /// Whether the service needs an app secret.
  open var isAppSecretRequired: Bool { Self.traitsOfSelf?.isSecretRequired ?? true }
}

extension AppCenterCore {
  func isFromApplication(_ traits: ServiceTraits?) -> Bool {
    traits.flatMap { traits in state.withLock { $0.services[traits.name]?.isFromApplication } } ?? false
  }
}
