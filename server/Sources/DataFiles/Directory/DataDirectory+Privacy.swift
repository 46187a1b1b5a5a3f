#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension DataDirectory {
  /// Returns a warning if everyone may read a file that this process has just created for its owner alone.
  ///
  /// Then the file system has no permissions of its own, and no chmod helps.
  package static func exposure(of file: String) -> String? {
    var status = stat()
    guard stat(file, &status) == 0, status.st_mode & 0o004 != 0 else { return nil }
    let directory = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    return """
      Every user of this machine may read \(directory): its file system, such as NTFS or exFAT, doesn't keep the permissions of files. \
      Mount it with the option umask=077, and with uid= and the number of the user that the server runs as.
      """
  }
}
