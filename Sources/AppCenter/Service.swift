// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import TernBase
import TernEvents

/// A part of the SDK that can be started, enabled and disabled.
public protocol Service: NSObjectProtocol {
  /// True while the service records; kept across launches, false before its start.
  static var enabled: Bool { get set }
}

/// The base class of all services.
#if canImport(ObjectiveC)
  @objc(MSACServiceAbstract)
#endif
open class ServiceAbstract: NSObject, Service {
  /// True while the service records; kept across launches. False before its start and while nothing can be
  /// stored.
  ///
  /// Setting it to false erases the service's waiting events.
  open class var enabled: Bool {
    get { traitsOfSelf.map { AppCenterCore.shared.isEnabled($0) } ?? false }
    set {
      if let traits = traitsOfSelf { AppCenterCore.shared.setEnabled(newValue, traits) }
    }
  }

  private class var traitsOfSelf: ServiceTraits? { (self as? any StartableService.Type)?.traits }

  /// True if the app, not a library, started the service.
  open var startedFromApplication: Bool {
    get { AppCenterCore.shared.isFromApplication(Self.traitsOfSelf) }
    set {}
  }

  /// True if the service needs an app secret.
  open var isAppSecretRequired: Bool { Self.traitsOfSelf?.isSecretRequired ?? true }
}

extension AppCenterCore {
  func isFromApplication(_ traits: ServiceTraits?) -> Bool {
    traits.flatMap { traits in state.withLock { $0.services[traits.name]?.isFromApplication } } ?? false
  }
}
