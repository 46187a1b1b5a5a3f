import TernBase
package import TernLog

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension InMemoryFileSystem: FileSystem {
  package func makeDirectory(_ path: String) throws(FileError) {
    try check(.makeDirectory, path)
    try state.withLock { (state) throws(FileError) in
      if state.directories.contains(path) { return }
      if state.isReadOnly { throw FileError(.makeDirectory, number: EROFS) }
      var directory = path
      while !directory.isEmpty {
        state.directories.insert(directory)
        directory = InMemoryFiles.parent(of: directory)
      }
    }
  }

  package func list(_ directory: String) throws(FileError) -> [String] {
    try check(.list, directory)
    return try state.withLock { (state) throws(FileError) -> [String] in
      guard state.directories.contains(directory) else { throw FileError(.list, number: ENOENT) }
      let entries = Array(state.files.keys) + state.directories
      // In an arbitrary order, so that no code relies on it.
      return entries.filter { InMemoryFiles.parent(of: $0) == directory && $0 != directory && $0 != "" && $0 != "/" }
        .map { String($0.dropFirst(directory.count + 1)) }.sorted { $0.hashValue < $1.hashValue }
    }
  }

  package func open(_ path: String, _ mode: OpenMode) throws(FileError) -> OpenFile {
    try check(.open, path)
    return try state.withLock { (state) throws(FileError) -> OpenFile in
      var inode = state.files[path]
      if mode == .create, inode != nil { throw FileError(.open, number: EEXIST) }
      if mode == .create || mode == .lock, inode == nil {
        guard state.directories.contains(InMemoryFiles.parent(of: path)) else {
          throw FileError(.open, number: ENOENT)
        }
        if state.isReadOnly { throw FileError(.open, number: EROFS) }
        inode = state.create(path)
      }
      guard let inode else { throw FileError(.open, number: ENOENT) }
      if mode == .update, state.isReadOnly { throw FileError(.open, number: EROFS) }
      let isWritable = mode != .read && !(mode == .lock && state.isReadOnly)
      return OpenFile(number: state.open(path, inode, isWritable: isWritable))
    }
  }

  package func close(_ file: OpenFile) {
    state.withLock { $0.close(file.number) }
  }

  package func write(
    _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int
  ) throws(FileError) -> Int {
    let fault = fault(for: .write, path(of: file))
    var count = bytes.count
    var failure: FileError?
    switch fault {
    case .fail(let number): throw FileError(.write, number: number)
    case .tear(let bytes): count = min(count, bytes)
    case .tearAndFail(let bytes, let number):
      count = min(count, bytes)
      failure = FileError(.write, number: number)
    case nil: break
    }
    let written = try state.withLock { (state) throws(FileError) -> Int in
      try state.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), to: file.number, at: offset)
    }
    if let failure { throw failure }
    return written
  }

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, from file: OpenFile, at offset: Int
  ) throws(FileError) -> Int {
    try check(.read, path(of: file))
    return try state.withLock { (state) throws(FileError) -> Int in
      guard let inode = state.open[file.number]?.inode, let bytes = state.inodes[inode]?.bytes else {
        throw FileError(.read, number: EBADF)
      }
      guard offset < bytes.count else { return 0 }
      let count = min(buffer.count, bytes.count - offset)
      bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count])) }
      return count
    }
  }

  package func status(_ file: OpenFile) throws(FileError) -> FileStatus {
    try check(.status, path(of: file))
    return try state.withLock { (state) throws(FileError) -> FileStatus in
      guard let handle = state.open[file.number], let inode = state.inodes[handle.inode] else {
        throw FileError(.status, number: EBADF)
      }
      return FileStatus(size: inode.bytes.count, isLinked: inode.isLinked)
    }
  }

  package func truncate(_ file: OpenFile, to size: Int) throws(FileError) {
    try check(.truncate, path(of: file))
    try state.withLock { (state) throws(FileError) in
      guard let handle = state.open[file.number], handle.isWritable, !state.isReadOnly else {
        throw FileError(.truncate, number: EINVAL)
      }
      let present = state.inodes[handle.inode]?.bytes.count ?? 0
      if size < present {
        let cut = state.inodes[handle.inode]?.cut ?? size
        state.inodes[handle.inode]?.cut = min(size, cut)
        state.inodes[handle.inode]?.bytes.removeLast(present - size)
      } else {
        state.inodes[handle.inode]?.bytes.append(contentsOf: repeatElement(0, count: size - present))
      }
    }
  }

  package func rename(_ path: String, to destination: String) throws(FileError) {
    try check(.rename, path)
    try state.withLock { (state) throws(FileError) in
      guard let inode = state.files[path], state.directories.contains(InMemoryFiles.parent(of: destination)) else {
        throw FileError(.rename, number: ENOENT)
      }
      if state.isReadOnly { throw FileError(.rename, number: EROFS) }
      state.unlink(destination)
      state.files[path] = nil
      state.files[destination] = inode
    }
  }

  package func link(_ path: String, to name: String) throws(FileError) {
    try check(.link, path)
    try state.withLock { (state) throws(FileError) in
      guard let inode = state.files[path] else { throw FileError(.link, number: ENOENT) }
      if state.files[name] != nil { throw FileError(.link, number: EEXIST) }
      if state.isReadOnly { throw FileError(.link, number: EROFS) }
      state.files[name] = inode
    }
  }

  package func remove(_ path: String) throws(FileError) {
    try check(.remove, path)
    try state.withLock { (state) throws(FileError) in
      guard state.files[path] != nil else { throw FileError(.remove, number: ENOENT) }
      if state.isReadOnly { throw FileError(.remove, number: EROFS) }
      state.unlink(path)
    }
  }

  package func synchronize(_ path: String) throws(FileError) {
    try check(.synchronize, path)
    try state.withLock { (state) throws(FileError) in
      guard state.files[path] != nil || state.directories.contains(path) else {
        throw FileError(.synchronize, number: ENOENT)
      }
      state.flush(path)
    }
  }

  package func lock(_ file: OpenFile) throws(FileError) -> Bool {
    try check(.lock, path(of: file))
    return try state.withLock { (state) throws(FileError) -> Bool in
      guard let inode = state.open[file.number]?.inode else { throw FileError(.lock, number: EBADF) }
      let isHeld = state.open.contains { $0.key != file.number && $0.value.inode == inode && $0.value.holdsLock }
      if !isHeld { state.open[file.number]?.holdsLock = true }
      return !isHeld
    }
  }

  package func freeBytes(_ directory: String) -> Int? { state.withLock { $0.reportedSpace } }

  /// Counts the call and asks the script for a fault; only writes can be torn.
  private func check(_ kind: Operation.Kind, _ path: String) throws(FileError) {
    guard let fault = fault(for: kind, path) else { return }
    let operation = FileOperation(rawValue: kind.rawValue) ?? .status
    switch fault {
    case .fail(let number), .tearAndFail(_, let number): throw FileError(operation, number: number)
    case .tear: throw FileError(operation, number: EIO)
    }
  }

  private func fault(for kind: Operation.Kind, _ path: String) -> Fault? {
    let (script, number) = state.withLock { state in
      state.operations += 1
      return (state.script, state.operations)
    }
    return script?(Operation(kind: kind, path: path, number: number))
  }

  private func path(of file: OpenFile) -> String {
    state.withLock { $0.open[file.number]?.path ?? "" }
  }
}

extension InMemoryFiles {
  /// Stores bytes in an open file, as many as the capacity allows.
  mutating func write(_ bytes: UnsafeRawBufferPointer, to handle: Int32, at offset: Int) throws(FileError) -> Int {
    guard let handle = open[handle], handle.isWritable, let present = inodes[handle.inode]?.bytes.count else {
      throw FileError(.write, number: EBADF)
    }
    if isReadOnly { throw FileError(.write, number: EROFS) }
    var count = bytes.count
    if let capacity {
      let free = max(capacity - totalBytes, 0) + max(present - offset, 0)
      count = min(count, free)
      if count == 0, !bytes.isEmpty { throw FileError(.write, number: ENOSPC) }
    }
    // Without generic collections, which are slow in debug builds: a simulation writes millions of records.
    let missing = offset + count - present
    if missing > 0 { inodes[handle.inode]?.bytes += [UInt8](repeating: 0, count: missing) }
    inodes[handle.inode]?.bytes.withUnsafeMutableBytes { target in
      guard count > 0, let destination = target.baseAddress, let source = bytes.baseAddress else { return }
      (destination + offset).copyMemory(from: source, byteCount: count)
    }
    return count
  }
}
