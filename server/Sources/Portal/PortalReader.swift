/// The reader of a page, whose rights decide on links and forms. The collector enforces the rights.
package struct PortalReader: Sendable, Hashable {
  /// The name of the account.
  package let name: String
  /// True if the reader may change the app's settings.
  package let canEdit: Bool
  /// True if the reader may see single events and errors.
  package let seesPersonalData: Bool
  /// True if the reader manages users, tokens and apps.
  package let isOwner: Bool
  /// True for the reader of a shared link, whose page has no navigation.
  package let isGuest: Bool

  /// The name of the link's page in words, for the heading of a guest's page.
  let sharedName: String?

  /// Creates a reader, by default an owner.
  package init(
    name: String = "owner", canEdit: Bool = true, seesPersonalData: Bool = true, isOwner: Bool = true,
    isGuest: Bool = false, sharedName: String? = nil
  ) {
    self.name = name
    self.canEdit = canEdit
    self.seesPersonalData = seesPersonalData
    self.isOwner = isOwner
    self.isGuest = isGuest
    self.sharedName = sharedName
  }

  /// Creates the reader of a shared link.
  ///
  /// - Parameter name: The name of the link's page in words.
  package init(guestOf name: String) {
    self.init(name: "", canEdit: false, seesPersonalData: false, isOwner: false, isGuest: true, sharedName: name)
  }
}
