#if !canImport(Darwin)
  import Foundation

  extension AppCenterEnvironment {
    static let platformName = "linux"
    static let isAppInDevelopment = true
    static let currentCarrierCountry: @Sendable () -> String? = { nil }
    /// The original never ran on this platform.
    static let leftByOriginal: @Sendable () -> PreviousSDK? = { nil }
    static let systemLog: @Sendable (String) -> Void = { FileHandle.standardError.write(Data(($0 + "\n").utf8)) }
  }
#endif
