import Mustache

/// The templates, parsed once from the texts that the build embeds.
struct Templates: Sendable {
  private let library: MustacheLibrary

  /// Parses all templates; throws the engine's error, with the template's name, if one is damaged.
  init() throws {
    // Before parsing, because parsing a template looks up the pragma.
    MustacheContentTypes.register(PageContentType(), named: PageContentType.name)
    var library = MustacheLibrary()
    for (file, text) in EmbeddedFiles.templates {
      let name = String(file.prefix { $0 != "." })
      try library.register(PageContentType.pragma + text, named: name)
    }
    self.library = library
  }

  /// Renders a template; returns an empty string if there is none with this name.
  func render(_ name: String, _ values: TemplateValues) -> String {
    library.render(values, withTemplate: name) ?? ""
  }
}
