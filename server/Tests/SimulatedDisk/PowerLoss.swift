package import TernEvents

/// The part of the unsynced changes that a power loss leaves.
package enum PowerLoss: CaseIterable, Sendable {
  /// Nothing of them.
  case nothing
  /// All of them, as if a program was killed.
  case everything
  /// The first ones of each file and folder, in the order in which they were made; the last one torn.
  case prefix
  /// Any of them, whole or torn.
  case random
  /// All contents, and names as far as they were synced.
  case contentsOnly
  /// All names, and contents as far as they were synced.
  case namesOnly

  /// The unit in which disks write: a change is torn between two of them.
  static let sectorBytes = 512
}

/// The files and folders that a power loss leaves.
package struct DiskImage: Sendable, Equatable {
  /// The contents by path.
  package var files: [String: [UInt8]] = [:]
  package var folders: [String] = []
  /// The files of which a write was torn.
  package var torn: Set<String> = []

  package init(files: [String: [UInt8]] = [:], folders: [String] = []) {
    self.files = files
    self.folders = folders
  }
}

extension DiskHistory {
  /// Returns what is on the disk when the power returns.
  package func image(after loss: PowerLoss, using generator: inout FastGenerator) -> DiskImage {
    var image = DiskImage()
    add(folder: root, path: "", to: &image, loss, &generator)
    return image
  }

  private func add(
    folder: UInt64, path: String, to image: inout DiskImage, _ loss: PowerLoss, _ generator: inout FastGenerator
  ) {
    guard let state = folders[folder] else { return }
    var names = state.synced
    let kept =
      switch loss {
      case .nothing, .contentsOnly: 0
      case .everything, .namesOnly: state.pending.count
      case .prefix, .random: Int.random(in: 0...state.pending.count, using: &generator)
      }
    for change in state.pending.prefix(kept) { for (name, inode) in change { names[name] = inode } }
    for (name, inode) in names.sorted(by: { $0.key < $1.key }) {
      let path = "\(path)/\(name)"
      if let file = files[inode] {
        let (content, isTorn) = file.content(after: loss, using: &generator)
        image.files[path] = content
        if isTorn { image.torn.insert(path) }
      } else {
        image.folders.append(path)
        add(folder: inode, path: path, to: &image, loss, &generator)
      }
    }
  }
}

extension DiskHistory.File {
  fileprivate func content(
    after loss: PowerLoss, using generator: inout FastGenerator
  ) -> (content: [UInt8], isTorn: Bool) {
    var (content, isTorn) = (synced, false)
    switch loss {
    case .nothing, .namesOnly: break
    case .everything, .contentsOnly: for change in pending { change.apply(to: &content) }
    case .prefix:
      let kept = Int.random(in: 0...pending.count, using: &generator)
      for change in pending.prefix(kept) { change.apply(to: &content) }
      if kept < pending.count { isTorn = pending[kept].applyTorn(to: &content, using: &generator) }
    case .random:
      for change in pending {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: break
        case 1: if change.applyTorn(to: &content, using: &generator) { isTorn = true }
        default: change.apply(to: &content)
        }
      }
    }
    return (content, isTorn)
  }
}

extension DiskHistory.Change {
  /// Applies some of the sectors of a write; a change of the size not at all.
  ///
  /// - Returns: True if some were applied and some not.
  fileprivate func applyTorn(to content: inout [UInt8], using generator: inout FastGenerator) -> Bool {
    guard case .write(let offset, let bytes) = self else { return false }
    var (start, applied, lost) = (0, false, false)
    while start < bytes.count {
      let sector = (offset + start) / PowerLoss.sectorBytes
      let end = min(bytes.count, (sector + 1) * PowerLoss.sectorBytes - offset)
      if Bool.random(using: &generator) {
        applied = true
        Self.write(offset: offset + start, bytes: Array(bytes[start..<end])).apply(to: &content)
      } else {
        lost = true
      }
      start = end
    }
    return applied && lost
  }
}
