/// The reader of a page, whose rights decide on links and forms. The collector enforces the rights.
package struct PortalReader: Sendable, Hashable {
  /// The name of the account.
  package var name: String
  /// True if the reader may change the app's settings.
  package var canEdit: Bool
  /// True if the reader may see single events and errors.
  package var seesPersonalData: Bool
  /// True if the reader manages users, tokens and apps.
  package var isOwner: Bool
  /// True for the reader of a shared link, whose page has no navigation.
  package var isGuest: Bool

  /// The name of the link's page in words, for its heading.
  package var sharedName: String?

  /// Creates a reader, by default an owner.
  package init(
    name: String = "owner", canEdit: Bool = true, seesPersonalData: Bool = true, isOwner: Bool = true,
    isGuest: Bool = false
  ) {
    self.name = name
    self.canEdit = canEdit
    self.seesPersonalData = seesPersonalData
    self.isOwner = isOwner
    self.isGuest = isGuest
  }
}
