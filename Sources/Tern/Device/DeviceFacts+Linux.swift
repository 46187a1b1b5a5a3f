#if !canImport(Darwin)
  import Foundation
  import TernEvents

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  extension Device {
    static func platformFacts() -> Device {
      let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)).map(osRelease) ?? [:]
      var system = utsname()
      uname(&system)
      return Device(
        osName: release["NAME"] ?? field(system.sysname), osVersion: release["VERSION_ID"] ?? field(system.release),
        osBuild: field(system.release), model: field(system.machine),
        manufacturer: firmware("sys_vendor"), locale: "en")
    }

    /// The variables of an `os-release` file (man 5 os-release).
    static func osRelease(_ text: String) -> [String: String] {
      var values: [String: String] = [:]
      for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
        guard let equals = line.firstIndex(of: "=") else { continue }
        let value = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
        values[String(line[..<equals])] = value.trimmingCharacters(in: CharacterSet(charactersIn: "\"'"))
      }
      return values
    }

    /// The locale of the process by POSIX precedence: `LC_ALL`, `LC_MESSAGES`, `LANG`.
    static func localeName(environment: [String: String]) -> String {
      let value = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
      let name = value.map { String($0.prefix { $0 != "." && $0 != "@" }) } ?? ""
      return name.isEmpty || name == "C" || name == "POSIX" ? "en" : name
    }

    private static func firmware(_ name: String) -> String? {
      let text = try? String(contentsOfFile: "/sys/class/dmi/id/\(name)", encoding: .utf8)
      let trimmed = text?.trimmingCharacters(in: .whitespacesAndNewlines)
      return trimmed?.isEmpty == false ? trimmed : nil
    }

    private static func field<Field>(_ field: Field) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
  }

  extension TernClient.Environment {
    /// The kernel's boot identifier, new at each boot.
    static func currentBoot() -> String? {
      let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
      return text?.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Linux has no foreground; an app can still report transitions itself.
    static var startsInForeground: Bool { true }

    /// Linux does not suspend processes.
    static var systemBackgroundActivity: (any BackgroundActivity)? { nil }
  }
#endif
