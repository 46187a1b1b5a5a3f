import SimulatedDisk
import TernEvents
import Testing

/// The disk of `Scripts/simulate --server`.
@Suite struct SimulatedDiskTests {
  private static let root: UInt64 = 1

  private func history(_ operations: DiskOperation...) -> DiskHistory {
    var history = DiskHistory(root: Self.root, seed: 1)
    for operation in operations { history.apply(operation) }
    return history
  }

  private func image(_ history: DiskHistory, _ loss: PowerLoss, seed: UInt64 = 1) -> DiskImage {
    var generator = FastGenerator(seed: seed)
    return history.image(after: loss, using: &generator)
  }

  @Test func `a file without a synced name is gone, one without synced content is empty`() {
    let written = history(
      .createFile(path: "/a", inode: 2), .write(inode: 2, offset: 0, bytes: [1, 2]), .sync(inode: 2),
      .createFile(path: "/b", inode: 3), .write(inode: 3, offset: 0, bytes: [3]))
    #expect(image(written, .nothing).files == [:])
    #expect(image(written, .everything).files == ["/a": [1, 2], "/b": [3]])
    #expect(image(written, .namesOnly).files == ["/a": [1, 2], "/b": []])
    var named = written
    named.apply(.sync(inode: Self.root))
    #expect(image(named, .nothing).files == ["/a": [1, 2], "/b": []])
  }

  @Test func `a removed name comes back unless its folder was synced`() {
    var removed = history(
      .createFolder(path: "/rows", inode: 2), .sync(inode: Self.root), .createFile(path: "/rows/1", inode: 3),
      .sync(inode: 2), .remove(path: "/rows/1"))
    #expect(image(removed, .nothing).files == ["/rows/1": []])
    #expect(image(removed, .everything).files == [:])
    removed.apply(.sync(inode: 2))
    #expect(image(removed, .nothing) == DiskImage(files: [:], folders: ["/rows"]))
  }

  @Test func `a rename gives one name and takes the other in one step`() {
    let renamed = history(
      .createFile(path: "/new", inode: 2), .write(inode: 2, offset: 0, bytes: [7]), .sync(inode: 2),
      .sync(inode: Self.root), .rename(path: "/new", target: "/name"))
    for seed in 1...20 as ClosedRange<UInt64> {
      let files = image(renamed, .random, seed: seed).files
      #expect(files == ["/new": [7]] || files == ["/name": [7]])
    }
  }

  @Test func `unsynced writes are kept, lost or torn at sectors, and synced ones never change`() {
    let (old, new) = ([UInt8](repeating: 1, count: 2_048), [UInt8](repeating: 2, count: 1_536))
    let written = history(
      .createFile(path: "/a", inode: 2), .sync(inode: Self.root), .write(inode: 2, offset: 0, bytes: old),
      .sync(inode: 2), .write(inode: 2, offset: 512, bytes: new))
    var contents: Set<[UInt8]> = []
    for seed in 1...200 as ClosedRange<UInt64> {
      let content = image(written, .random, seed: seed).files["/a"] ?? []
      #expect(content.count == 2_048 && content.prefix(512).allSatisfy { $0 == 1 })
      for sector in 1..<4 { #expect(Set(content[sector * 512..<sector * 512 + 512]).count == 1) }
      contents.insert(content)
    }
    #expect(contents.count == 8, "each of the three sectors is old or new")
  }

  @Test func `what a failed sync left may be lost, although a later sync succeeds`() {
    var lost: Set<[UInt8]> = []
    for seed in 1...40 as ClosedRange<UInt64> {
      var history = DiskHistory(root: Self.root, seed: seed)
      for operation: DiskOperation in [
        .createFile(path: "/a", inode: 2), .sync(inode: Self.root), .write(inode: 2, offset: 0, bytes: [1]),
        .failSync(inode: 2), .write(inode: 2, offset: 1, bytes: [2]), .sync(inode: 2),
      ] { history.apply(operation) }
      lost.insert(image(history, .nothing).files["/a"] ?? [])
    }
    #expect(lost == [[1, 2], [0, 2]])
  }

  @Test func `a file becomes shorter and longer with zeros`() {
    let written = history(
      .createFile(path: "/a", inode: 2), .write(inode: 2, offset: 0, bytes: [1, 2, 3]), .truncate(inode: 2, size: 1),
      .truncate(inode: 2, size: 2), .write(inode: 2, offset: 4, bytes: [9]))
    #expect(image(written, .everything).files == ["/a": [1, 0, 0, 0, 9]])
  }
}
