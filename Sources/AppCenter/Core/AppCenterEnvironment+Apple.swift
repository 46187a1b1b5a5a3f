#if canImport(Darwin)
  import Foundation

  #if canImport(CoreTelephony)
    import CoreTelephony
  #endif

  extension AppCenterEnvironment {
    static let systemLog: @Sendable (String) -> Void = { NSLog($0.replacingOccurrences(of: "%", with: "%%")) }

    static let leftByOriginal: @Sendable () -> PreviousSDK? = {
      PreviousSDK { UserDefaults.standard.object(forKey: $0) }
    }

    static var platformName: String {
      #if os(macOS) || targetEnvironment(macCatalyst)
        "macos"
      #elseif os(tvOS)
        "appsecret"
      #else
        "ios"
      #endif
    }

    /// A simulator, a Mac, or an app that was not installed by the App Store or TestFlight.
    static var isAppInDevelopment: Bool {
      #if targetEnvironment(simulator) || os(macOS) || targetEnvironment(macCatalyst)
        true
      #else
        Bundle.main.path(forResource: "embedded", ofType: "mobileprovision") != nil
      #endif
    }

    /// The country of the SIM; unknown without one, and almost always since iOS 16.
    static let currentCarrierCountry: @Sendable () -> String? = {
      #if canImport(CoreTelephony) && !targetEnvironment(macCatalyst)
        let carriers = CTTelephonyNetworkInfo().serviceSubscriberCellularProviders ?? [:]
        return carriers.sorted { $0.key < $1.key }.lazy.compactMap(\.value.isoCountryCode)
          .first { !$0.isEmpty && $0 != "--" }
      #else
        return nil
      #endif
    }
  }
#endif
