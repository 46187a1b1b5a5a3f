import Foundation

/// The protection of files that hold secrets.
enum SecretFile {
  /// Returns a warning for each file with secrets that others may read: client secrets of providers, the password for the
  /// mail server, and the one for the cluster, in files of their own or in that of the settings.
  static func warnings(_ settings: EffectiveSettings, _ signOn: SignOnSettings) throws -> [String] {
    let passwords = try [settings.value(\.smtpPasswordFile), settings.value(\.clickhouseCredentials)]
    let file = settings.file.flatMap { $0.hasSecrets ? $0.path : nil }
    return (signOn.secretFiles + (passwords + [file]).compactMap(\.self)).compactMap(warning)
  }

  /// Returns a warning if everyone may read a file. Its group may: packages give files to the group of the server's user.
  static func warning(about path: String) -> String? {
    let file = URL(filePath: path).resolvingSymlinksInPath().path
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
      attributes[.type] as? FileAttributeType == .typeRegular,
      let permissions = attributes[.posixPermissions] as? Int, permissions & 0o004 != 0
    else { return nil }
    return """
      Every user of this machine may read \(path), which holds a secret. Let only the user that the server runs as read it: \
      make that user its owner, and run: chmod 600 \(path). Where that does nothing, as on NTFS and exFAT, move it to another disk, or \
      mount this one with the option umask=077.
      """
  }
}
