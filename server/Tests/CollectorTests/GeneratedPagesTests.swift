import ArgumentParser
import Foundation
import HTTPTypes
import Testing
import Warehouse

@testable import HTTP
@testable import TernCommand
@testable import TernServer

/// The tables of `docs` that are made from the program, so that no setting, command or endpoint is missing there. With
/// `TERN_WRITE_PAGES` in the environment, as in `Scripts/document`, the tests write the tables instead of comparing them.
@Suite struct GeneratedPagesTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

  /// The line above a generated table.
  private static let mark = "<!-- Scripts/document writes this table. -->\n\n"

  @Test func `the page of settings has each with its default`() throws {
    let rows = ServerSettings.all.map { setting in
      let secrecy = setting.isSecret ? " Not an option, because others can read command lines." : ""
      return ["`\(setting.name)`", setting.standard.map { "`\($0)`" } ?? "", setting.explanation + secrecy]
    }
    try Self.check("settings.md", [["Setting", "Default", "Effect"]] + rows)
  }

  @Test func `the page of commands has each with its purpose`() throws {
    let rows = Self.commands.map { ["`\($0.name)`", $0.type.configuration.abstract] }
    try Self.check("commands.md", [["Command", "Does"]] + rows)
  }

  @Test func `the page of the API has each endpoint with its right`() throws {
    let collector = try Fixture().collector()
    let operations = collector.description.operations.filter { $0.method != .options }
    var paths: [String] = []
    for operation in operations where !paths.contains(operation.path) { paths.append(operation.path) }
    let rows = paths.flatMap { path in operations.filter { $0.path == path } }.map { operation in
      ["`\(operation.method) \(operation.path)`", Self.right(operation, collector.requirements), operation.summary]
    }
    try Self.check("api.md", [["Request", "Right", "Does"]] + rows)
  }

  @Test func `pages name only commands and options that exist`() throws {
    let pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md"].map { Self.root.appending(path: $0) }
    let folder = Self.root.appending(path: "docs")
    let others = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    var found = 0
    for page in pages + others where page.pathExtension == "md" {
      for line in Self.code(in: try String(contentsOf: page, encoding: .utf8)) {
        let words = line.split(whereSeparator: \.isWhitespace)
        for index in words.indices.dropLast() where words[index] == "tern" || words[index].hasSuffix("/tern") {
          guard let mistake = Self.mistake(in: words[(index + 1)...]) else { continue }
          Issue.record("\(page.lastPathComponent): \(mistake) in: \(line)")
        }
        found += words.contains("tern") ? 1 : 0
      }
    }
    #expect(found > 100)
  }

  /// Compares the table of a page with its rows, of which the first is the head.
  private static func check(_ page: String, _ rows: [[String]]) throws {
    var lines = rows.map { "| " + $0.joined(separator: " | ") + " |" }.map { $0.replacing("|  |", with: "| |") }
    lines.insert("|" + String(repeating: "---|", count: rows[0].count), at: 1)
    let file = root.appending(path: "docs/\(page)")
    let text = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(text.range(of: mark)).upperBound
    let rest = text[start...].split(separator: "\n", omittingEmptySubsequences: false)
    let stored = rest.prefix { $0.hasPrefix("|") }
    if ProcessInfo.processInfo.environment["TERN_WRITE_PAGES"] == nil {
      #expect(stored.map(String.init) == lines, "docs/\(page) is stale: run Scripts/document.")
    } else {
      let written = text[..<start] + (lines + rest.dropFirst(stored.count).map(String.init)).joined(separator: "\n")
      try written.write(to: file, atomically: true, encoding: .utf8)
    }
  }

  private static func right(
    _ operation: APIOperation, _ requirements: [RouteTable.Route: Endpoint.Requirement]
  ) -> String {
    switch operation.credentials {
    case .none: return ""
    case .appKey: return "an app's key, or `write`"
    case .appSecret: return "an app secret"
    case .token: break
    }
    let path = operation.path.replacing("{", with: ":").replacing("}", with: "")
    let requirement =
      requirements[RouteTable.Route(method: operation.method, path: path)]
      ?? requirements.first { route, _ in
        route.method == operation.method && route.path.hasSuffix("/**") && path.hasPrefix(route.path.dropLast(2))
      }?.value
    return switch requirement {
    case nil: "unknown"
    case .nothing: ""
    case .login: "any"
    case .permission(.send): "`write`"
    case .permission(.read): "`read`"
    case .permission(.readPersonalData): "`export`"
    case .permission(.edit): "`manage`"
    case .permission(.administer): "`manage`, all apps"
    case .permission(.manageAccess): "`administer`"
    case .report, .appCenterReport: "`read`; single events: `export`"
    case .server: "`read`, all apps"
    }
  }

  // MARK: Commands

  /// The commands that do something, as people type them.
  private static var commands: [(name: String, type: any ParsableCommand.Type)] { leaves(of: RootCommand.self, "") }

  private static func leaves(of command: any ParsableCommand.Type, _ group: String) -> [(
    name: String, type: any ParsableCommand.Type
  )] {
    let configuration = command.configuration
    guard configuration.shouldDisplay else { return [] }
    let name = group + command._commandName
    guard !configuration.subcommands.isEmpty else { return [(name, command)] }
    return configuration.subcommands.flatMap { leaves(of: $0, name + " ") }
  }

  /// The code of a page: the lines of its blocks, with those that continue them, and the spans of its texts.
  private static func code(in page: String) -> [String] {
    page.components(separatedBy: "```").enumerated().flatMap { index, part in
      index.isMultiple(of: 2)
        ? part.matches(of: /`([^`]+)`/).map { String($0.1).replacing("\n", with: " ") }
        : part.replacing("\\\n", with: " ").split(separator: "\n").map(String.init)
    }
  }

  /// Returns what is wrong with a command line of the documentation, without `tern`. `a|b` stands for two commands.
  private static func mistake(in words: ArraySlice<Substring>) -> String? {
    let named = words.prefix { $0.wholeMatch(of: /[a-z][a-z|\-]*/) != nil }
    // Also a part of another command, such as a container's name.
    guard let first = named.first, first != "tern" else { return nil }
    let candidates = first.split(separator: "|").flatMap { first in
      let group = commands.filter { $0.name == "tern \(first)" || $0.name.hasPrefix("tern \(first) ") }
      guard let second = named.dropFirst().first, group.count > 1 || group.first?.name != "tern \(first)" else {
        return group
      }
      return second.split(separator: "|").flatMap { second in
        group.filter { $0.name == "tern \(first) \(second)" || $0.name.hasPrefix("tern \(first) \(second) ") }
      }
    }
    if candidates.isEmpty { return "no command \(named.prefix(2).joined(separator: " "))" }
    let help = candidates.flatMap { command in
      RootCommand.helpMessage(for: command.type, includeHidden: true, columns: 200).split { !$0.isLetter && $0 != "-" }
    }
    let line = words.prefix { !["#", "|", "&&", ";", ">", "<", "&"].contains($0) }
    let options = line.compactMap { $0.firstMatch(of: /^\[?(--[a-z\-]+)/)?.1 }
    return options.first { $0 != "--help" && !help.contains($0) }.map { "no option \($0)" }
  }
}
