// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import TernBase
import TernEvents

/// The description of a wrapper SDK, such as React Native's.
#if canImport(ObjectiveC)
  @objcMembers
  @objc(MSACWrapperSdk)
#endif
open class WrapperSdk: NSObject {
  /// The wrapper's version.
  public let wrapperSdkVersion: String!
  /// The wrapper's name, for example `appcenter.react-native`.
  public let wrapperSdkName: String!
  /// The version of the wrapper's runtime.
  public let wrapperRuntimeVersion: String!
  /// The label of a live update.
  public let liveUpdateReleaseLabel: String!
  /// The deployment of a live update.
  public let liveUpdateDeploymentKey: String!
  /// The hash of a live update's package.
  public let liveUpdatePackageHash: String!

  /// Creates a description.
  public init!(
    wrapperSdkVersion: String!, wrapperSdkName: String!, wrapperRuntimeVersion: String!,
    liveUpdateReleaseLabel: String!, liveUpdateDeploymentKey: String!, liveUpdatePackageHash: String!
  ) {
    self.wrapperSdkVersion = wrapperSdkVersion
    self.wrapperSdkName = wrapperSdkName
    self.wrapperRuntimeVersion = wrapperRuntimeVersion
    self.liveUpdateReleaseLabel = liveUpdateReleaseLabel
    self.liveUpdateDeploymentKey = liveUpdateDeploymentKey
    self.liveUpdatePackageHash = liveUpdatePackageHash
  }

  /// Creates a description from properties by their names in the protocol.
  @nonobjc package convenience init(facts: [String: String]) {
    self.init(
      wrapperSdkVersion: facts["wrapperSdkVersion"], wrapperSdkName: facts["wrapperSdkName"],
      wrapperRuntimeVersion: facts["wrapperRuntimeVersion"], liveUpdateReleaseLabel: facts["liveUpdateReleaseLabel"],
      liveUpdateDeploymentKey: facts["liveUpdateDeploymentKey"], liveUpdatePackageHash: facts["liveUpdatePackageHash"])
  }

  /// The properties by their names in the protocol.
  var facts: [String: String?] {
    [
      "wrapperSdkVersion": wrapperSdkVersion, "wrapperSdkName": wrapperSdkName,
      "wrapperRuntimeVersion": wrapperRuntimeVersion, "liveUpdateReleaseLabel": liveUpdateReleaseLabel,
      "liveUpdateDeploymentKey": liveUpdateDeploymentKey, "liveUpdatePackageHash": liveUpdatePackageHash,
    ]
  }
}

extension AppCenter {
  /// The wrapper SDK in use; sent with the device's properties.
  public class var wrapperSdk: WrapperSdk! {
    get {
      let facts = AppCenterCore.shared.state.withLock { $0.wrapper }
      return facts.isEmpty ? nil : WrapperSdk(facts: facts.compactMapValues { $0 })
    }
    set {
      AppCenterCore.shared.setWrapper((newValue ?? WrapperSdk(facts: [:])).facts)
    }
  }
}
