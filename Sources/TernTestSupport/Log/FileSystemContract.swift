package import TernLog

/// The requirements for file systems below the log; run against each implementation.
package struct FileSystemContract {
  /// A rule that an implementation broke.
  package struct Violation: Error, CustomStringConvertible {
    package let description: String
  }

  private let fileSystem: any FileSystem
  private let directory: String

  /// Checks `fileSystem` inside `directory`, which must not exist yet.
  package init(_ fileSystem: any FileSystem, directory: String) {
    self.fileSystem = fileSystem
    self.directory = directory
  }

  /// Throws the first violation found, or the error of a call that should have worked.
  package func check() throws {
    try checkDirectories()
    try checkOpening()
    try checkWriting()
    try checkNames()
    try checkLocks()
  }

  private func checkDirectories() throws {
    try fileSystem.makeDirectory(directory + "/a/b")
    try fileSystem.makeDirectory(directory + "/a/b")
    try expect(try fileSystem.list(directory) == ["a"], "parents are created, and an existing directory is fine")
    try expect(try fileSystem.list(directory + "/a/b").isEmpty, "a new directory is empty, without . and ..")
    try expectMissing("listing a directory that is not there") { _ = try fileSystem.list(directory + "/none") }
  }

  private func checkOpening() throws {
    let path = directory + "/opening"
    for mode in [OpenMode.read, .update] {
      try expectMissing("opening a file that is not there") { _ = try fileSystem.open(path, mode) }
    }
    try expectMissing("creating in a directory that is not there") {
      _ = try fileSystem.open(directory + "/none/file", .create)
    }
    fileSystem.close(try fileSystem.open(path, .create))
    do {
      _ = try fileSystem.open(path, .create)
      throw Violation(description: "creating a file that exists must fail")
    } catch let error as FileError {
      try expect(error.isExisting, "creating a file that exists says so")
    }
    fileSystem.close(try fileSystem.open(path, .lock))
  }

  private func checkWriting() throws {
    let file = try fileSystem.open(directory + "/writing", .create)
    defer { fileSystem.close(file) }
    try expect(try write([1, 2, 3], file, 0) == 3, "a write says how much arrived")
    try expect(try write([9], file, 1) == 1, "a write goes to its offset")
    try expect(try write([7], file, 5) == 1, "a write may leave a gap")
    try expect(try read(file, 0, 9) == [1, 9, 3, 0, 0, 7], "a gap reads as zeros, and a read ends with the file")
    try expect(try read(file, 4, 1) == [0], "a read is no longer than asked")
    try expect(try read(file, 6, 4) == [], "a read behind the end is empty")
    try fileSystem.truncate(file, to: 2)
    try expect(try fileSystem.status(file) == FileStatus(size: 2, isLinked: true), "truncating cuts the file")
    try fileSystem.synchronize(directory + "/writing")
    try fileSystem.synchronize(directory)
    let reader = try fileSystem.open(directory + "/writing", .read)
    defer { fileSystem.close(reader) }
    try expect((try? write([1], reader, 0)) == nil, "a file opened for reading cannot be written")
  }

  private func checkNames() throws {
    let path = directory + "/names"
    let file = try fileSystem.open(path, .create)
    defer { fileSystem.close(file) }
    _ = try write([5], file, 0)
    fileSystem.close(try fileSystem.open(path + "2", .create))
    try fileSystem.rename(path, to: path + "2")
    try expectMissing("the old name after renaming") { _ = try fileSystem.open(path, .read) }
    try expect(try fileSystem.status(file).isLinked, "a renamed file is still linked")
    try fileSystem.link(path + "2", to: path)
    do {
      try fileSystem.link(path + "2", to: path)
      try expect(false, "linking to a name that is taken fails")
    } catch let error as FileError {
      try expect(error.isExisting, "linking to a name that is taken reports EEXIST")
    }
    try fileSystem.remove(path)
    try expect(try fileSystem.status(file).isLinked, "a file is linked until its last name is removed")
    try fileSystem.remove(path + "2")
    try expect(try fileSystem.status(file) == FileStatus(size: 1, isLinked: false), "a removed file lives while open")
    try expect(try read(file, 0, 1) == [5], "a removed file can be read while open")
    try expectMissing("removing a missing file") { try fileSystem.remove(path) }
    try expectMissing("renaming a missing file") { try fileSystem.rename(path, to: path + "3") }
  }

  private func checkLocks() throws {
    let path = directory + "/lock"
    let first = try fileSystem.open(path, .lock)
    let second = try fileSystem.open(path, .lock)
    defer { fileSystem.close(second) }
    try expect(try fileSystem.lock(first), "a free lock can be taken")
    try expect(try !fileSystem.lock(second), "a lock excludes other open files of the same process")
    fileSystem.close(first)
    try expect(try fileSystem.lock(second), "closing frees the lock")
  }

  private func write(_ bytes: [UInt8], _ file: OpenFile, _ offset: Int) throws(FileError) -> Int {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileError) -> Int in try fileSystem.write(bytes, to: file, at: offset) }
    }
    return try result.get()
  }

  private func read(_ file: OpenFile, _ offset: Int, _ count: Int) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: count)
    let result = bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(FileError) -> Int in try fileSystem.read(into: buffer, from: file, at: offset) }
    }
    return Array(bytes.prefix(try result.get()))
  }

  private func expect(_ condition: Bool, _ rule: String) throws {
    if !condition { throw Violation(description: "broken: " + rule) }
  }

  private func expectMissing(_ rule: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as FileError where error.isMissing {
      return
    }
    throw Violation(description: "must fail as missing: " + rule)
  }
}
