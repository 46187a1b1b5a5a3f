import Foundation
import TernBase
import TernServer

/// The access of this process to a data directory.
enum DataAccess {
  /// Throws ``ServerFailure`` if permissions keep this process from a directory: it would look as if there was no data.
  static func check(_ directory: String) throws {
    let catalog = directory + "/catalog.sqlite"
    guard access(catalog, R_OK) != 0, errno == EACCES else { return }
    // The first folder that can be seen tells whose data it is.
    var path = catalog
    while access(path, F_OK) != 0, path.count > 1 { path = (path as NSString).deletingLastPathComponent }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let owner = attributes?[.ownerAccountName] as? String ?? "another user"
    throw ServerFailure(
      """
      \(directory): permission denied to the user \(NSUserName()). \(path) belongs to \(owner): run the command as that user, for \
      example with sudo -u \(owner).
      """)
  }
}
