import PortalResources

/// The texts of the files in `Resources`, by their names. A new file is added to `Resources/resources.c`.
enum EmbeddedFiles {
  static let templates = texts(tern_portal_templates())
  /// Styles, scripts and pictures.
  static let assets = texts(tern_portal_assets())

  private static func texts(_ files: UnsafePointer<tern_portal_file>?) -> [String: String] {
    var texts: [String: String] = [:]
    var next = files
    while let file = next?.pointee, let name = file.name, let text = file.text {
      texts[String(cString: name)] = String(cString: text)
      next = next?.advanced(by: 1)
    }
    return texts
  }
}
