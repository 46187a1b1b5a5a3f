// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Makes `canImport(ObjectiveC)` true; exceptions are declared in Darwin.swift.
@_exported public import Darwin
