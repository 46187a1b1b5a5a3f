import Foundation

/// The protection of files that hold secrets.
enum SecretFile {
  /// Returns a warning for each file with secrets that others may read: client secrets of providers, the password for the
  /// mail server, and the one for the cluster.
  static func warnings(_ settings: EffectiveSettings, _ signOn: SignOnSettings) throws -> [String] {
    let passwords = try [settings.value(\.smtpPasswordFile), settings.value(\.clickhouseCredentials)]
    return (signOn.secretFiles + passwords.compactMap(\.self)).compactMap(warning)
  }

  /// Returns a warning if a file's group, or everyone, may read it.
  static func warning(about path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o044 != 0 else { return nil }
    let readers = status.st_mode & 0o004 != 0 ? "Every user of this machine" : "The file's group"
    return """
      \(readers) may read \(path), which holds a secret. Make the user that the server runs as its owner, and let no one else \
      read it: chmod 600 \(path)
      """
  }
}
