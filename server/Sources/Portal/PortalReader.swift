/// The reader of a page, whose rights decide on links and forms. The collector enforces the rights.
public struct PortalReader: Sendable, Hashable {
  /// The name of the account.
  public var name: String
  /// True if the reader may change the app's settings.
  public var canEdit: Bool
  /// True if the reader may see single events and errors.
  public var seesPersonalData: Bool
  /// True if the reader manages users, tokens and apps.
  public var isOwner: Bool
  /// True for the reader of a shared link, whose page has no navigation.
  public var isGuest: Bool

  /// The name of the link's page in words, for its heading.
  package var sharedName: String?

  /// Creates a reader, by default an owner.
  public init(
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
