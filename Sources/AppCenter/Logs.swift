// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// What App Center's SDK called a log; the modules make none, and take none.
public protocol Log: NSObjectProtocol {
  /// What kind of log it is.
  var type: String! { get set }
  /// When it was made.
  var timestamp: Date! { get set }
  /// Its session.
  var sid: String! { get set }
  /// Its distribution group.
  var distributionGroupId: String! { get set }
  /// Where it shall be kept.
  var dataResidencyRegion: String! { get set }
  /// Its user.
  var userId: String! { get set }
  /// The device that made it.
  var device: Device! { get set }
  /// What the app attached.
  var tag: NSObject! { get set }
  /// Whether it can be sent.
  func isValid() -> Bool
  /// Adds a target.
  func addTransmissionTargetToken(_ token: String!)
  /// The targets.
  func transmissionTargetTokens() -> Set<AnyHashable>!
}

/// What all logs have in common.
#if canImport(ObjectiveC)
  @objcMembers
  @objc(MSACAbstractLog)
#endif
open class AbstractLog: NSObject, Log, NSSecureCoding {
  /// What kind of log it is.
  public var type: String!
  /// When it was made.
  public var timestamp: Date!
  /// Its session.
  public var sid: String!
  /// Its distribution group.
  public var distributionGroupId: String!
  /// Where it shall be kept.
  public var dataResidencyRegion: String!
  /// Its user.
  public var userId: String!
  /// The device that made it.
  public var device: Device!
  /// What the app attached.
  public var tag: NSObject!
  private var targets: Set<AnyHashable> = []

  /// Whether it can be sent: it has a type, a time and a device.
  open func isValid() -> Bool { type != nil && timestamp != nil && device != nil }

  /// Adds a target.
  public func addTransmissionTargetToken(_ token: String!) {
    if let token { targets.insert(token) }
  }

  /// The targets.
  public func transmissionTargetTokens() -> Set<AnyHashable>! { targets }

  /// Creates an empty log.
  public override init() {}

  // MARK: Coding

  /// Coding is safe.
  open class var supportsSecureCoding: Bool { true }

  /// Writes what all logs have in common, but for the targets and the tag.
  open func encode(with coder: NSCoder) {
    for (name, text) in [
      ("type", type), ("sid", sid), ("distributionGroupId", distributionGroupId),
      ("dataResidencyRegion", dataResidencyRegion), ("userId", userId),
    ] {
      coder.encode(text as NSString?, forKey: name)
    }
    coder.encode(timestamp as NSDate?, forKey: "timestamp")
    coder.encode(device, forKey: "device")
  }

  /// Reads a log.
  public required init?(coder: NSCoder) {
    func text(_ name: String) -> String? { coder.decodeObject(of: NSString.self, forKey: name) as String? }
    type = text("type")
    sid = text("sid")
    distributionGroupId = text("distributionGroupId")
    dataResidencyRegion = text("dataResidencyRegion")
    userId = text("userId")
    timestamp = coder.decodeObject(of: NSDate.self, forKey: "timestamp") as Date?
    device = coder.decodeObject(of: Device.self, forKey: "device")
  }
}

/// A log with text properties.
#if canImport(ObjectiveC)
  @objcMembers
  @objc(MSACLogWithProperties)
#endif
open class LogWithProperties: AbstractLog {
  /// The properties.
  public var properties: [String: String]!

  /// Creates an empty log.
  public override init() { super.init() }

  /// Writes the log.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(properties as NSDictionary?, forKey: "properties")
  }

  /// Reads a log.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
    let allowed = [NSDictionary.self, NSString.self] as [AnyClass]
    properties = coder.decodeObject(of: allowed, forKey: "properties") as? [String: String]
  }
}

/// The facts about a device.
#if canImport(ObjectiveC)
  @objcMembers
  @objc(MSACDevice)
#endif
public final class Device: WrapperSdk {
  /// The SDK's name.
  public internal(set) var sdkName: String!
  /// The SDK's version.
  public internal(set) var sdkVersion: String!
  /// The model.
  public internal(set) var model: String!
  /// The maker.
  public internal(set) var oemName: String!
  /// The operating system.
  public internal(set) var osName: String!
  /// Its version.
  public internal(set) var osVersion: String!
  /// Its build.
  public internal(set) var osBuild: String!
  /// Its API level.
  public internal(set) var osApiLevel: NSNumber!
  /// The locale.
  public internal(set) var locale: String!
  /// Minutes east of UTC.
  public internal(set) var timeZoneOffset: NSNumber!
  /// The size of the screen.
  public internal(set) var screenSize: String!
  /// The app's version.
  public internal(set) var appVersion: String!
  /// The mobile carrier.
  public internal(set) var carrierName: String!
  /// The country of the mobile carrier.
  public internal(set) var carrierCountry: String!
  /// The app's build.
  public internal(set) var appBuild: String!
  /// The app's bundle identifier.
  public internal(set) var appNamespace: String!
}
