import Foundation

#if canImport(Glibc)
  import Glibc

  /// A separate real file system that is small or turns read-only; Linux only, where mounting is permitted.
  final class SmallDisk {
    let path: String
    private var isCovered = false

    /// Returns `nil` and prints the reason if this process may not mount.
    init?(bytes: Int) {
      path = NSTemporaryDirectory() + "tern-disk-" + UUID().uuidString
      guard mkdir(path, 0o700) == 0 else { return nil }
      guard mount("tmpfs", path, "tmpfs", 0, "size=\(bytes)") == 0 else {
        print("skipped: mounting a tmpfs failed: \(String(cString: strerror(errno)))")
        rmdir(path)
        return nil
      }
    }

    deinit {
      if isCovered { umount2(path, Int32(MNT_DETACH)) }
      umount2(path, Int32(MNT_DETACH))
      rmdir(path)
    }

    /// Makes everything below `path` read-only for later openings.
    ///
    /// The kernel refuses this for a mount with files open for writing, so a read-only view is mounted over it. Open
    /// files stay writable, as they do after `chmod`. For failures of those a test uses the in-memory file system.
    func coverReadOnly() -> Bool {
      let readOnly = UInt(MS_REMOUNT | MS_BIND | MS_RDONLY)
      guard mount(path, path, nil, UInt(MS_BIND), nil) == 0 else { return false }
      isCovered = true
      return mount(nil, path, nil, readOnly, nil) == 0
    }

    /// Removes the read-only view.
    func uncover() -> Bool {
      defer { isCovered = false }
      return umount2(path, Int32(MNT_DETACH)) == 0
    }

    /// Makes the whole file system read-only, which requires that all its files are closed, or writable again.
    func remount(readOnly: Bool) -> Bool {
      mount(nil, path, nil, UInt(MS_REMOUNT) | (readOnly ? UInt(MS_RDONLY) : 0), nil) == 0
    }

    /// Fills all free space, as another app would; returns the file whose removal frees it.
    func fill() -> String {
      let filler = path + "/filler"
      let file = open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      for size in [64 << 10, 4 << 10, 1] {
        let bytes = [UInt8](repeating: 1, count: size)
        while write(file, bytes, size) > 0 {}
      }
      close(file)
      return filler
    }
  }
#endif
