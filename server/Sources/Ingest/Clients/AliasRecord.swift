import ServerBase
import TernEvents

/// A client's record that two identifiers are one person.
///
/// Its row names one of them as its user and has the other as a property, whatever the protocol, so that whoever reads rows
/// needs to know one form only. Clients disagree about which identifier is the older one, so no direction is kept.
package enum AliasRecord {
  /// The name of the row, whose kind is `other`, and of the property.
  package static let name = "alias"
}

extension ClientEvent {
  /// The install of events that name none: all of an app's together.
  package static let noInstall = "(none)"

  /// Makes the event a record that two identifiers are one person. Without one of them, it joins no one.
  mutating func join(_ identifier: String?, with other: String?) {
    name = AliasRecord.name
    properties.removeAll { $0.name == AliasRecord.name }
    guard let identifier, let other, !identifier.isEmpty, !other.isEmpty else { return }
    user = identifier
    if install.isEmpty { install = identifier }
    properties.append(.init(name: AliasRecord.name, value: .string(other)))
  }

  /// Returns the name of the install that a client names: a UUID in lowercase, other names as they are. Long names keep their
  /// beginning, and a hash tells them apart.
  package static func installName(_ name: String) -> String {
    if name.isEmpty { return noInstall }
    if let id = UniqueID(name) { return id.description }
    guard name.utf8.count > maximumInstallBytes else { return name }
    var hasher = SipHasher(0, 0)
    hasher.append(field: name)
    let hash = String(hasher.finished(), radix: 36)
    return withUTF8(name) { text($0, limit: maximumInstallBytes - hash.utf8.count - 1) } + "-" + hash
  }
}
