package import Tern

/// The description of a service.
package struct ServiceTraits: Sendable, Hashable {
  package var name: String
  package var tag: Tag
  /// Services start in descending order of priority.
  package var priority: Int
  package var isSecretRequired: Bool
  package var part: TernClient.Part

  package init(name: String, tag: Tag, priority: Int, isSecretRequired: Bool, part: TernClient.Part) {
    self.name = name
    self.tag = tag
    self.priority = priority
    self.isSecretRequired = isSecretRequired
    self.part = part
  }
}

/// A class that can be passed to `AppCenter.start`.
package protocol StartableService: AnyObject {
  static var traits: ServiceTraits { get }
  /// Called when the service has started, with a client if there is a secret.
  static func started(_ core: AppCenterCore, _ client: TernClient?)
}
