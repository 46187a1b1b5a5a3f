/// The code that a frame belongs to.
enum FrameOrigin {
  /// The app's own code.
  case app
  /// The operating system, a language's library, or a package of others.
  case system
  /// The functions in which runtimes end a process, and those of reporters: they are the same for all errors.
  case failure

  init(_ frame: Frame) {
    let image = frame.imageName
    if !image.isEmpty, Self.isReporter(image) {
      self = .failure
    } else if !frame.image.isEmpty, Self.isSystem(imagePath: frame.image, name: image) {
      self = Self.isFailure(FunctionName.normalized(frame.function)) ? .failure : .system
    } else {
      self.init(function: FunctionName.normalized(frame.function), raw: frame.function, file: frame.file)
    }
  }

  /// - Parameters:
  ///   - function: The normalized name.
  ///   - raw: The name as sent.
  ///   - file: The path or name of the source file.
  init(function: String, raw: Piece, file: Piece) {
    let name = Piece(function)
    if function.isEmpty, !raw.isEmpty, !Self.isUnknown(raw) {
      self = .failure
    } else if Self.isFailure(function) || Self.isReporter(name) || raw.starts("Swift runtime failure") {
      self = .failure
    } else if Self.isSystem(function: name) || Self.isSystem(file: file) || Self.isGenericLibrary(name, raw: raw) {
      self = .system
    } else {
      self = .app
    }
  }

  /// True for texts that stand in place of a function.
  static func isUnknown(_ function: Piece) -> Bool {
    function.isEmpty || function.starts("<redacted>") || function.starts("???") || function.elementsEqual(Piece("?"))
      || function.elementsEqual(Piece("<unknown>")) || function.starts("_mh_execute_header")
      || function.starts("<anonymous>") || function.starts("<deduplicated_symbol>") || function.starts("0x")
  }

  /// True for names that many functions have.
  static func isAnonymous(_ function: String) -> Bool {
    let name = Piece(function)
    return name.starts("<") || name.ends("<anonymous>")
      || ["closure", "anonymous", "lambda", "value"].contains(function)
  }

  /// True for the function in which a program begins, which is below every call of the main thread.
  static func isEntry(_ function: String) -> Bool { function == "main" || function.hasSuffix(".$main") }

  /// True for a name that begins with a module of Swift's libraries.
  static func isLibrary(_ name: Piece) -> Bool {
    for module: StaticString in ["Swift.", "Foundation.", "FoundationEssentials.", "Dispatch.", "_Concurrency."]
    where name.starts(module) { return true }
    return false
  }

  // MARK: Images

  fileprivate static func isSystem(imagePath path: Piece, name: Piece) -> Bool {
    // `base.apk!libapp.so` and what apps of Android and Apple's systems bring along.
    let isBundled =
      path.has("/data/app/") || path.has("!") || path.has(".app/") || path.has(".framework/Versions/A/App")
    for prefix in KnownCode.systemFolders where path.starts(prefix) && !isBundled { return true }
    if KnownCode.systemImages.contains(name.text) { return true }
    for prefix in KnownCode.systemImagePrefixes where name.starts(prefix) { return true }
    // Distributions give their libraries a version; an app's own seldom have one.
    if let version = name.findLast(".so."), name[version.upperBound...].first?.isDigit == true { return true }
    return name.ends(".oat") || name.ends(".odex") || name.ends(".vdex")
  }

  /// True for a reporter's name or words that begin with it: `Tern.Client` and `TernCrash`, not `Ternary`.
  private static func isReporter(_ name: Piece) -> Bool {
    let name = name.without("-[").without("+[")
    return KnownCode.reporters.contains { prefix in
      guard name.starts(prefix) else { return false }
      guard let next = name.dropFirst(prefix.utf8CodeUnitCount).first else { return true }
      return !next.isLetter && !next.isDigit || (0x41...0x5A).contains(next) && prefix.utf8CodeUnitCount > 3
    }
  }

  // MARK: Functions

  static func isFailure(_ function: String) -> Bool {
    if KnownCode.failures.contains(function) { return true }
    let name = Piece(function)
    for prefix in KnownCode.failurePrefixes where name.starts(prefix) { return true }
    return false
  }

  /// True for a generic function of Swift's library that the compiler specialized for the app, and so put into its image.
  private static func isGenericLibrary(_ name: Piece, raw: Piece) -> Bool {
    guard raw.starts("specialized ") || raw.starts("generic specialization") || raw.starts("merged ") else {
      return false
    }
    return KnownCode.genericTypes.contains { name.starts($0) }
  }

  private static func isSystem(function: Piece) -> Bool {
    if KnownCode.systemFunctionNames.contains(function.text) { return true }
    for prefix in KnownCode.systemFunctions where function.starts(prefix) { return true }
    // A class of Apple's, but not an app's category of one.
    if function.starts("-[") || function.starts("+["), !function.has("(") {
      let name = function.dropFirst(2).drop { $0 == 0x5F }
      for prefix: StaticString in ["NS", "UI", "CA", "CF", "WK"] where name.starts(prefix) {
        if let next = name.dropFirst(2).first, (0x41...0x5A).contains(next) { return true }
      }
    }
    return false
  }

  private static func isSystem(file: Piece) -> Bool {
    guard !file.isEmpty else { return false }
    for folder in KnownCode.libraryFolders where file.has(folder) { return true }
    for prefix in KnownCode.systemFiles where file.starts(prefix) { return true }
    return false
  }
}

/// Returns true for an image that comes with a system or a language, by its path or the name of its file.
package func isSystemImage(_ path: String) -> Bool {
  let path = Piece(path[...])
  return FrameOrigin.isSystem(imagePath: path, name: path.lastComponent)
}
