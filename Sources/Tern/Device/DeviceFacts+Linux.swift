#if !canImport(Darwin)
  import TernEvents

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  extension Device {
    static func platformFacts() -> Device {
      let release = text(of: "/etc/os-release").map(osRelease) ?? [:]
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
        let value = line[line.index(after: equals)...].trimmed(\.isWhitespace)
        values[String(line[..<equals])] = String(value.trimmed { $0 == "\"" || $0 == "'" })
      }
      return values
    }

    /// The locale of the process. `ProcessInfo` would copy the whole environment.
    static func currentLocale() -> String {
      var values: [String: String] = [:]
      for name in ["LC_ALL", "LC_MESSAGES", "LANG"] { values[name] = getenv(name).map { String(cString: $0) } }
      return localeName(environment: values)
    }

    /// The locale of the process by POSIX precedence: `LC_ALL`, `LC_MESSAGES`, `LANG`.
    static func localeName(environment: [String: String]) -> String {
      let value = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
      let name = value.map { String($0.prefix { $0 != "." && $0 != "@" }) } ?? ""
      return name.isEmpty || name == "C" || name == "POSIX" ? "en" : name
    }

    private static func firmware(_ name: String) -> String? {
      let value = text(of: "/sys/class/dmi/id/\(name)")
      return value?.isEmpty == false ? value : nil
    }

    /// The text of a small system file without the white space around it. Foundation would load a megabyte of its code.
    static func text(of path: String) -> String? {
      guard let file = fopen(path, "re") else { return nil }
      defer { fclose(file) }
      let bytes = [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
        count = fread(buffer.baseAddress, 1, buffer.count, file)
      }
      return ferror(file) == 0 ? String(String(decoding: bytes, as: UTF8.self)[...].trimmed(\.isWhitespace)) : nil
    }

    private static func field<Field>(_ field: Field) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
  }

  extension Substring {
    /// Returns the text without certain characters at both ends.
    fileprivate func trimmed(_ isOuter: (Character) -> Bool) -> Substring {
      let start = drop(while: isOuter)
      guard let last = start.lastIndex(where: { !isOuter($0) }) else { return start }
      return start[...last]
    }
  }

  extension TernClient.Environment {
    /// The kernel's boot identifier, new at each boot.
    static func currentBoot() -> String? {
      Device.text(of: "/proc/sys/kernel/random/boot_id")
    }

    /// Linux has no foreground; an app can still report transitions itself.
    static var startsInForeground: Bool { true }

    /// Linux does not suspend processes.
    static var systemBackgroundActivity: (any BackgroundActivity)? { nil }
  }
#endif
