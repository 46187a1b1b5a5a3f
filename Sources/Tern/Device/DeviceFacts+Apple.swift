#if canImport(Darwin)
  import Darwin
  import Foundation
  import TernEvents

  extension Device {
    static func platformFacts() -> Device {
      let version = ProcessInfo.processInfo.operatingSystemVersion
      let patch = version.patchVersion == 0 ? "" : ".\(version.patchVersion)"
      return Device(
        osName: systemName, osVersion: "\(version.majorVersion).\(version.minorVersion)\(patch)",
        osBuild: systemValue("kern.osversion"), model: systemValue(modelName), manufacturer: "Apple", locale: "en")
    }

    static func currentLocale() -> String { Locale.current.identifier }

    private static var systemName: String {
      #if targetEnvironment(macCatalyst) || os(macOS)
        "macOS"
      #elseif os(tvOS)
        "tvOS"
      #elseif os(watchOS)
        "watchOS"
      #elseif os(visionOS)
        "visionOS"
      #else
        "iOS"
      #endif
    }

    private static var modelName: String {
      #if targetEnvironment(macCatalyst) || os(macOS)
        "hw.model"
      #else
        "hw.machine"
      #endif
    }

    private static func systemValue(_ name: String) -> String? {
      var size = 0
      guard sysctlbyname(name, nil, &size, nil, 0) == 0, size > 1 else { return nil }
      var bytes = [UInt8](repeating: 0, count: size)
      guard sysctlbyname(name, &bytes, &size, nil, 0) == 0 else { return nil }
      return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  extension TernClient.Environment {
    /// The kernel's boot session identifier, new at each boot.
    static func currentBoot() -> String? {
      var size = 37
      var bytes = [UInt8](repeating: 0, count: size)
      guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
      return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
#endif
