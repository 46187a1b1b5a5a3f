#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The operating system's files.
package struct SystemFileSystem: FileSystem {
  /// Creates the system's file system.
  package init() {}

  package func makeDirectory(_ path: String) throws(FileError) {
    if mkdir(path, 0o700) == 0 {
      prepareDirectory(path)
      return
    }
    switch errno {
    case EEXIST: return
    case ENOENT:
      guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { break }
      try makeDirectory(String(path[..<slash]))
      if mkdir(path, 0o700) == 0 || errno == EEXIST { return prepareDirectory(path) }
    default: break
    }
    throw FileError(.makeDirectory, number: errno)
  }

  package func list(_ directory: String) throws(FileError) -> [String] {
    guard let stream = opendir(directory) else { throw FileError(.list, number: errno) }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    if errno != 0 { throw FileError(.list, number: errno) }
    return names
  }

  package func open(_ path: String, _ mode: OpenMode) throws(FileError) -> OpenFile {
    switch mode {
    case .read: return try openRegular(path, flags: O_RDONLY)
    case .update: return try openRegular(path, flags: O_RDWR)
    case .create: return try open(path, flags: O_RDWR | O_CREAT | O_EXCL)
    case .lock:
      do throws(FileError) {
        return try openRegular(path, flags: O_RDWR | O_CREAT)
      } catch {
        guard error.number == EACCES || error.number == EROFS || error.number == EPERM else { throw error }
        return try openRegular(path, flags: O_RDONLY)
      }
    }
  }

  /// Opens a regular file only: a pipe of that name would block the caller forever.
  private func openRegular(_ path: String, flags: Int32) throws(FileError) -> OpenFile {
    let file = try open(path, flags: flags | O_NONBLOCK)
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      throw FileError(.open, number: EISDIR)
    }
    return file
  }

  package func close(_ file: OpenFile) {
    // A child of another thread has copies of all descriptors until it runs its program, and they would keep a lock.
    flock(file.number, LOCK_UN)
    // Do not repeat after an interruption: the descriptor is closed and may already belong to another thread.
    _ = systemClose(file.number)
  }

  package func write(
    _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int
  ) throws(FileError) -> Int {
    while true {
      let written = pwrite(file.number, bytes.baseAddress, bytes.count, off_t(offset))
      if written >= 0 { return written }
      if errno != EINTR { throw FileError(.write, number: errno) }
    }
  }

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, from file: OpenFile, at offset: Int
  ) throws(FileError) -> Int {
    var total = 0
    while total < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[total...])
      let count = pread(file.number, rest.baseAddress, rest.count, off_t(offset + total))
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw FileError(.read, number: errno)
      }
      total += count
    }
    return total
  }

  package func status(_ file: OpenFile) throws(FileError) -> FileStatus {
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw FileError(.status, number: errno) }
    return FileStatus(size: Int(status.st_size), isLinked: status.st_nlink > 0)
  }

  package func truncate(_ file: OpenFile, to size: Int) throws(FileError) {
    while ftruncate(file.number, off_t(size)) != 0 {
      if errno != EINTR { throw FileError(.truncate, number: errno) }
    }
  }

  package func rename(_ path: String, to destination: String) throws(FileError) {
    guard systemRename(path, destination) == 0 else { throw FileError(.rename, number: errno) }
  }

  package func link(_ path: String, to name: String) throws(FileError) {
    guard systemLink(path, name) == 0 else { throw FileError(.link, number: errno) }
  }

  package func remove(_ path: String) throws(FileError) {
    guard unlink(path) == 0 else { throw FileError(.remove, number: errno) }
  }

  package func synchronize(_ path: String) throws(FileError) {
    let file: OpenFile
    do throws(FileError) {
      file = try open(path, flags: O_RDONLY | O_NONBLOCK)
    } catch {
      throw FileError(.synchronize, number: error.number)
    }
    defer { close(file) }
    while flush(file.number) != 0 {
      if errno != EINTR { throw FileError(.synchronize, number: errno) }
    }
  }

  package func lock(_ file: OpenFile) throws(FileError) -> Bool {
    while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      if errno != EINTR { throw FileError(.lock, number: errno) }
    }
    return true
  }

  private func open(_ path: String, flags: Int32) throws(FileError) -> OpenFile {
    while true {
      let descriptor = systemOpen(path, flags | O_CLOEXEC, 0o600)
      if descriptor >= 0 { return OpenFile(number: descriptor) }
      if errno != EINTR { throw FileError(.open, number: errno) }
    }
  }
}

// Free functions, because inside the type its methods shadow the system calls.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func systemLink(_ path: String, _ name: String) -> Int32 { link(path, name) }

private func systemRename(_ path: String, _ destination: String) -> Int32 { rename(path, destination) }
