extension DiskHistory {
  /// A disk on which everything is synced: what a power loss has left.
  ///
  /// - Parameter inode: Returns the inode under a path; the empty path is the folder itself.
  package init(_ image: DiskImage, seed: UInt64, inode: (String) throws -> UInt64) throws {
    self.init(root: try inode(""), seed: seed)
    for path in image.folders { apply(.createFolder(path: path, inode: try inode(path))) }
    for (path, content) in image.files {
      let file = try inode(path)
      apply(.createFile(path: path, inode: file))
      apply(.write(inode: file, offset: 0, bytes: content))
    }
    syncAll()
  }

  /// The same disk when a program was killed and everything that it saw is now in another folder: nothing more is synced.
  ///
  /// - Parameter inode: Returns the inode under a path; the empty path is the folder itself.
  package func moved(seed: UInt64, inode: (String) throws -> UInt64) throws -> DiskHistory {
    var inodes = [root: try inode("")]
    func visit(_ folder: UInt64, _ path: String) throws {
      for (name, old) in folders[folder]?.current ?? [:] {
        inodes[old] = try inode("\(path)/\(name)")
        if folders[old] != nil { try visit(old, "\(path)/\(name)") }
      }
    }
    try visit(root, "")
    return DiskHistory(self, seed: seed) { inodes[$0] ?? $0 }
  }
}
