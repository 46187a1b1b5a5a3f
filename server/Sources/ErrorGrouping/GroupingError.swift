/// The facts of an error that decide its group.
package struct GroupingError: Sendable {
  /// True for a crash, false for an error that the app handled.
  package var isCrash: Bool
  /// The exception's type; for a crash without one, the signal.
  package var type: String
  /// The exception's message.
  package var message: String
  /// The stack's text, as it is stored.
  package var stack: String
  /// The app's own choice of the group; empty if it makes none.
  package var fingerprint: String
  /// The app's version and build (``appBuildName(version:build:)``), by which a mapping of its names is found.
  package var appBuild: String

  /// Creates the facts.
  package init(
    isCrash: Bool, type: String, message: String = "", stack: String = "", fingerprint: String = "",
    appBuild: String = ""
  ) {
    self.isCrash = isCrash
    self.type = type
    self.message = message
    self.stack = stack
    self.fingerprint = fingerprint
    self.appBuild = appBuild
  }
}

/// A place in a build of an executable or library, of which symbols may know the functions, or a call of a method whose names R8
/// has shortened.
package struct Position: Hashable, Sendable {
  /// The relation of the place to the instruction that ran.
  package enum Kind: Sendable {
    /// The address of the instruction itself.
    case fault
    /// An address after a call, or within it: the byte before it belongs to the call in both cases.
    case returnAddress
  }

  /// The name of the image's file.
  package var image: String
  /// The build identifier in lowercase hexadecimal digits without dashes; of a call, the app's version and build.
  package var buildIdentifier: String
  /// The address in an ELF file, or the distance from a Mach-O file's text segment; of a call, the line.
  package var offset: UInt64
  /// The relation to the instruction that ran.
  package var kind: Kind
  /// Class and method of a call, as sent; empty for a place in an image.
  package var method = ""
  /// The source file of a call, as sent.
  package var file = ""

  /// Creates the position of a call.
  package init(method: String, file: String, line: Int, appBuild: String) {
    self.init(image: "", buildIdentifier: appBuild, offset: UInt64(max(line, 0)), kind: .fault)
    (self.method, self.file) = (method, file)
  }

  /// Creates a position.
  package init(image: String, buildIdentifier: String, offset: UInt64, kind: Kind) {
    self.image = image
    self.buildIdentifier = buildIdentifier
    self.offset = offset
    self.kind = kind
  }
}

/// A function at a position, as symbols name it.
package struct SymbolizedFunction: Sendable {
  /// The name, demangled if its language is known.
  package var name: String
  /// The path of the source file.
  package var file: String?

  /// Creates a function.
  package init(name: String, file: String? = nil) {
    self.name = name
    self.file = file
  }
}
