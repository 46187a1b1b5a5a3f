public import Foundation

extension TernClient.Configuration {
  /// The default directory of a client's queue.
  ///
  /// On Apple platforms it is `Application Support/<bundle identifier>/tern`; on Linux, `<executable>/tern` in
  /// `$XDG_DATA_HOME` or `~/.local/share`.
  public static var defaultQueueDirectory: URL {
    dataDirectory(environment: ProcessInfo.processInfo.environment)
      .appendingPathComponent(executableName, isDirectory: true).appendingPathComponent("tern", isDirectory: true)
  }

  static var executableName: String {
    #if canImport(Darwin)
      if let identifier = Bundle.main.bundleIdentifier { return identifier }
    #endif
    let name = URL(fileURLWithPath: CommandLine.arguments.first ?? "").lastPathComponent
    return name.isEmpty || name == "/" ? "app" : name
  }

  static func dataDirectory(environment: [String: String]) -> URL {
    #if canImport(Darwin)
      FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        ?? FileManager.default.temporaryDirectory
    #else
      // The XDG base directory specification says to ignore relative paths.
      if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
        URL(fileURLWithPath: data, isDirectory: true)
      } else if let home = environment["HOME"], home.hasPrefix("/") {
        URL(fileURLWithPath: home, isDirectory: true).appendingPathComponent(".local/share", isDirectory: true)
      } else {
        FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share", isDirectory: true)
      }
    #endif
  }
}
