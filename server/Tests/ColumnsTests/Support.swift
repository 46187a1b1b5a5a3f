import Columns
import Dispatch
import Ingest
import Questions
import QuestionsTestSupport
import Threads

/// The names of numbers given in the order of their first use.
struct ListedNames: PersonNames {
  var installNames: [String] = []
  var userNames: [String] = []
  /// The IDs of the errors of each group.
  var errors: [Int64: [Int64]] = [:]
  /// The ID of the first error of each group.
  var firsts: [Int64: Int64] = [:]

  func installs() -> [String] { installNames }
  func install(_ number: UInt32) -> String { installNames[Int(number)] }
  func users() -> [String] { userNames }
  func user(_ number: UInt32) -> String { userNames[Int(number)] }
  func errors(ofGroup number: Int64) -> [Int64] { errors[number] ?? [] }
  func firstErrors() -> [Int64: Int64] { firsts }
  func numbers(of persons: [[String]]) -> [IdentifierNumbers] {
    persons.map { identifiers in
      func numbers(_ names: [String]) -> [UInt32] {
        identifiers.compactMap { names.firstIndex(of: $0).map { UInt32($0) } }
      }
      return IdentifierNumbers(users: numbers(userNames), installs: numbers(installNames))
    }
  }

  static func number(_ name: String, in names: inout [String]) -> UInt32 {
    // No names here are equal but for their bytes.
    if let known = names.firstIndex(of: name) { return UInt32(known) }
    names.append(name)
    return UInt32(names.count - 1)
  }
}

extension ParallelThreads {
  /// Threads of the system, as many as it likes; the calling thread does what they don't begin with.
  static func test(_ count: Int) -> ParallelThreads {
    ParallelThreads(count: count) { job in DispatchQueue.global().async(execute: job) }
  }
}

extension ColumnSnapshot {
  /// The chunks of some rows, in the order of their IDs.
  init(_ rows: [QuestionRow], rowsPerChunk size: Int) {
    var names = ListedNames()
    var chunks: [Chunk] = []
    var builder = ChunkBuilder(app: 1, after: 0)
    var devices: [[QuestionDimension: String]] = []
    for row in rows.sorted(by: { $0.id < $1.id }) {
      if builder.rows == size {
        chunks.append(builder.finished())
        builder = ChunkBuilder(app: 1, after: chunks.last?.header.last ?? 0)
      }
      if let error = row.error { names.errors[Int64(error), default: []].append(row.id) }
      if !devices.contains(row.facts) { devices.append(row.facts) }
      builder.append(
        row, slot: ListedNames.number(row.install, in: &names.installNames),
        user: row.user.map { ListedNames.number($0, in: &names.userNames) + 1 } ?? 0,
        device: Int64(devices.firstIndex(of: row.facts) ?? 0))
    }
    if builder.rows > 0 { chunks.append(builder.finished()) }
    for row in rows.sorted(by: { ($0.time, $0.id) < ($1.time, $1.id) }) {
      if let error = row.error, names.firsts[Int64(error)] == nil { names.firsts[Int64(error)] = row.id }
    }
    self.init(chunks: chunks, names: names)
  }
}

extension ChunkBuilder {
  func append(_ row: QuestionRow, slot: UInt32, user: UInt32, device: Int64) {
    let name = row.kind == .event || row.kind == .screen ? row.name.map { text($0) } : nil
    append(
      Row(
        id: row.id, time: row.time, momentInMillisecond: row.microseconds.map { UInt16($0) + 1 } ?? 0, kind: row.kind,
        startsSession: row.startsSession,
        slot: slot, user: user, session: row.session ?? 0, device: device), name: name
    ) {
      ChunkDevice(
        version: row.facts[.version] ?? "", os: row.facts[.os] ?? "", model: row.facts[.model] ?? "",
        country: row.facts[.country] ?? "", language: row.facts[.language] ?? "")
    }
    if let alias = row.alias, row.kind == .other, user != 0 { add(alias: alias) }
    for (name, value) in row.properties {
      switch value {
      case .number(let number): add(text(name.text), number: number)
      case .text(let value): add(text(name.text), text: text(value.text))
      }
    }
  }
}
