import Foundation
import Testing

/// Apple rejects apps whose packages use certain APIs without a declared reason.
@Suite struct `The privacy manifest` {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources").standardizedFileURL

  /// A module's manifest, with the modules whose code it covers.
  private static let manifests = [
    "Tern": ["Tern", "TernLog", "TernDelivery", "TernEvents", "TernMeasurement", "GoogleAnalytics"],
    "AppCenter": ["AppCenter", "AppCenterAnalytics", "AppCenterCrashes"],
  ]

  /// Apple's list of APIs that require a reason, by their names in code.
  private let calls = [
    "FileTimestamp": #/\b[fl]?stat\(|fstatat|getattrlist|contentModificationDate|creationDate|modificationDate/#,
    "SystemBootTime": #/systemUptime|mach_absolute_time/#,
    "DiskSpace": #/statv?fs\(|volumeAvailableCapacity|systemFreeSize|systemSize/#,
    "UserDefaults": #/UserDefaults/#,
    "ActiveKeyboards": #/activeInputModes/#,
  ]

  private func manifest(_ module: String) throws -> [String: Any] {
    let file = Self.sources.appending(path: "\(module)/PrivacyInfo.xcprivacy")
    let list = try PropertyListSerialization.propertyList(from: try Data(contentsOf: file), format: nil)
    return try #require(list as? [String: Any])
  }

  private func code(_ module: String) throws -> String {
    let folder = Self.sources.appending(path: module)
    // Without what only other platforms compile.
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix(".swift") && !$0.hasSuffix("+Linux.swift")
    }
    return try files.flatMap { path in
      try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        .split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
    }.joined(separator: "\n")
  }

  @Test(arguments: manifests.keys.sorted())
  func `declares reasons for exactly the APIs that the code uses`(_ module: String) throws {
    let types = try #require(try manifest(module)["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
    let said = Set(types.compactMap { ($0["NSPrivacyAccessedAPIType"] as? String)?.split(separator: "Category").last })
    let code = try Self.manifests[module, default: []].map(code).joined()
    let used = calls.filter { code.contains($0.value) }.keys
    #expect(said == Set(used.map { Substring($0) }))
    #expect(types.allSatisfy { ($0["NSPrivacyAccessedAPITypeReasons"] as? [String])?.isEmpty == false })
  }

  @Test(arguments: manifests.keys.sorted())
  func `declares that no tracking takes place`(_ module: String) throws {
    let manifest = try manifest(module)
    #expect(manifest["NSPrivacyTracking"] as? Bool == false)
    #expect((manifest["NSPrivacyTrackingDomains"] as? [String])?.isEmpty == true)
    let data = try #require(manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
    #expect(data.allSatisfy { $0["NSPrivacyCollectedDataTypeTracking"] as? Bool == false })
  }
}
