import Foundation
import Ingest
import TernEvents
import Testing

@testable import Warehouse
@testable import WarehouseUpkeep

/// Compares the reader of plain rows with `JSONDecoder`, which decides what a line means.
@Suite struct ImportedRowReaderTests {
  private static func decoded(_ line: [UInt8]) -> ImportedRow? {
    guard let line = try? JSONDecoder().decode(ImportedLine.self, from: Data(line)), line.row != nil else { return nil }
    return try? ImportedRow(line)
  }

  /// All that a row says, in a form that differs if any byte does.
  private static func facts(_ row: ImportedRow) -> [[UInt8]] {
    func bytes(_ values: Any...) -> [UInt8] { Array(values.map { "\($0)" }.joined(separator: "|").utf8) }
    let device = row.device.value
    let texts = [
      row.name, row.install, row.user, device.osName, device.osVersion, device.model, device.locale, device.country,
      device.appVersion, device.appBuild, device.sdkName, device.sdkVersion,
    ]
    let numbers = bytes(
      row.kind, row.time, row.received, row.microseconds as Any, row.session, row.startsSession, row.isMeasurement,
      row.key as Any, device.timeZoneOffsetMinutes, row.properties.count, row.parameters?.count as Any,
      row.error as Any)
    let properties = row.properties.flatMap { property in
      if case .double(let number) = property.value { return [Array(property.name.utf8), bytes(number.bitPattern)] }
      return [Array(property.name.utf8), bytes(property.value)]
    }
    let parameters = (row.parameters ?? []).flatMap { [Array($0.name.utf8), Array($0.value.utf8)] }
    return texts.map { Array($0.utf8) } + [numbers] + properties + parameters
  }

  /// Returns true if the reader reads a line, which then must be what the decoder reads.
  private static func isRead(_ line: [UInt8], _ reader: inout ImportedRowReader) -> Bool {
    guard let row = line.withUnsafeBytes({ reader.row($0) }) else { return false }
    guard let expected = decoded(line) else {
      Issue.record("only the decoder refuses \(String(decoding: line, as: UTF8.self))")
      return true
    }
    #expect(facts(row) == facts(expected), "\(String(decoding: line, as: UTF8.self))")
    return true
  }

  private static let start = #"{"row":1,"kind":"event","name":"n","time":1,"received":2,"install":"i""#

  @Test(arguments: [
    "}", #","microseconds":999}"#, #","session":"ffffffffffffffff","startsSession":true}"#, #","measurement":false}"#,
    #","user":"007","key":{"time":-5,"hash":"5851f42d4c957f2d"}}"#, #","key":{"hash":"0","time":0}}"#,
    #","device":{"timeZoneOffset":-180,"osName":"iOS","sdkVersion":"1.0"}}"#, #","properties":[],"parameters":[]}"#,
    #","properties":[{"name":"a","string":"\n\"\\\/\u00e9é\#u{1F600}\u0000"},{"double":0.1,"name":"b"}]}"#,
    #","properties":[{"name":"a","integer":-999999999999999999},{"name":"a","date":-1},{"name":"","boolean":true}]}"#,
    #","properties":[{"name":"a","double":3.0},{"name":"a","double":1e308},{"name":"a","double":0.30000000000000004}]}"#,
    #","parameters":[["t","event"],["",""]]}"#, " , \"user\" :\t\"u\" , \"properties\" : [ ] } \r",
  ])
  func `rows as exports write them are plain`(end: String) {
    var reader = ImportedRowReader()
    for _ in 1...2 {
      let isRead = Self.isRead(Array((Self.start + end).utf8), &reader)
      #expect(isRead)
    }
  }

  @Test(arguments: [
    #","session":""}"#, #","session":"-1"}"#, #","user":"\ud800"}"#, #","user":null}"#, #","user":"a","user":"b"}"#,
    #","later":1}"#, #","properties":[{"name":"a","integer":1.0}]}"#, #","properties":[{"name":"a"}]}"#,
    #","properties":[{"name":"a","integer":9223372036854775807}]}"#, #","properties":[{"name":"a","double":"inf"}]}"#,
    #","properties":[{"name":"a","double":-0.0}]}"#, #","properties":[{"name":"a","double":1e999}]}"#,
    #","properties":[{"name":"a","string":"x","integer":1}]}"#, #","parameters":[["a"]]}"#,
    #","parameters":[["a","b","c"]]}"#, #","device":{}}"#, #","microseconds":1000}"#, "}}", "", #","us\u0065r":"x"}"#,
    #","error":{"id":"","type":"","place":"","fingerprint":"1","message":""}}"#,
  ])
  func `unusual rows are left to the decoder`(end: String) {
    var reader = ImportedRowReader()
    let isRead = Self.isRead(Array((Self.start + end).utf8), &reader)
    #expect(!isRead)
  }

  @Test func `any line that is read is what the decoder reads`() {
    var (lines, reader) = (RandomLines(), ImportedRowReader())
    var (read, rest) = (0, 0)
    for _ in 0..<6_000 {
      if Self.isRead(lines.next(), &reader) { read += 1 } else { rest += 1 }
    }
    #expect(read > 1_500 && rest > 1_500, "\(read) and \(rest)")
  }

  @Test func `doubles are those of the decoder to the last bit`() {
    var (generator, reader) = (FastGenerator(seed: 3), ImportedRowReader())
    var read = 0
    for count in 1...4_000 {
      let number =
        count.isMultiple(of: 2)
        ? "\(Double(bitPattern: generator.next()))"
        : "\(generator.next() >> UInt64.random(in: 0...63, using: &generator)).\(generator.next() >> 20)"
      if Self.isRead(Array((Self.start + #","properties":[{"name":"a","double":\#(number)}]}"#).utf8), &reader) {
        read += 1
      }
    }
    #expect(read > 3_900)
  }
}

/// Lines like those of rows, with any number of oddities.
private struct RandomLines {
  private var generator = FastGenerator(seed: 1)
  private var oddity = 0

  /// Returns a line; half of them are plain.
  mutating func next() -> [UInt8] {
    oddity = Bool.random(using: &generator) ? 0 : 12
    var members = [
      #""row":\#(integer())"#,
      #""kind":"\#(pick(["event", "screen", "crash", "attachment_part"], odd: ["Event", ""]))""#,
      #""name":\#(text())"#, #""time":\#(integer())"#, #""received":\#(integer())"#, #""install":\#(text())"#,
    ]
    let others = [
      #""microseconds":\#(pick(["0", "999"], odd: ["1000", "-1", "5.0"]))"#, #""session":"\#(hexadecimal())""#,
      #""startsSession":\#(boolean())"#, #""measurement":\#(boolean())"#, #""user":\#(text())"#,
      #""key":{"time":\#(integer()),"hash":"\#(hexadecimal())"}"#, #""device":\#(device())"#,
      #""properties":[\#(list { $0.property() })]"#, #""parameters":[\#(list { "[\($0.text()),\($0.text())]" })]"#,
    ]
    members += others.filter { _ in Bool.random(using: &generator) }
    if isOdd() {
      members.append(pick([#""row":2"#, #""end":true"#, #""later":[{}]"#, #""user":"x""#, #""error":null"#], odd: []))
    }
    if isOdd() { members.removeFirst() }
    if Bool.random(using: &generator) { members.shuffle(using: &generator) }
    var line = Array("{\(members.joined(separator: pick([",", " ,\t"], odd: [",,", ""])))}".utf8)
    if isOdd() {
      let place = Int.random(in: 0..<line.count, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: line[place] = UInt8.random(in: 0...255, using: &generator)
      case 1: line.remove(at: place)
      default: line.removeLast(line.count - place)
      }
    }
    return line
  }

  /// Returns true for a few parts of a line with oddities.
  private mutating func isOdd() -> Bool { oddity > 0 && Int.random(in: 0..<oddity, using: &generator) == 0 }

  private mutating func pick(_ usual: [String], odd: [String]) -> String {
    (isOdd() ? odd.randomElement(using: &generator) : nil) ?? usual.randomElement(using: &generator) ?? ""
  }

  private mutating func list(_ element: (inout Self) -> String) -> String {
    (0..<Int.random(in: 0...3, using: &generator)).map { _ in element(&self) }.joined(separator: ",")
  }

  private mutating func boolean() -> String { pick(["true", "false"], odd: ["1", "null", "\"true\"", "truefalse"]) }

  private mutating func hexadecimal() -> String {
    pick(
      ["0", "ff", "5851F42d4c957f2d", String(generator.next(), radix: 16)],
      odd: ["", "+1", "-1", "g", "11111111111111111"])
  }

  private mutating func integer() -> String {
    pick(
      ["0", "7", "-7", "1777888800000", "999999999999999999", "-999999999999999999"],
      odd: [
        "-0", "01", "1.0", "1e3", "1.5", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "\"1\"",
        "-",
      ])
  }

  private mutating func double() -> String {
    pick(
      ["0.5", "-12.25", "3", "3.0", "1e10", "123456789012345678", "0.1234567890123456789", "2.5E-3", "0.0", "1.7e308"],
      odd: [
        "-0.0", "-0", "1e999", "5e-324", "1e-999", "1.", ".5", "1e", "+1", "00.5", "\"inf\"", "\"nan\"", "NaN", "0e0",
      ])
  }

  private mutating func text() -> String {
    let pieces = [
      "", "a", "Play", "plain text of some length", "é", "e\u{301}", "\u{1F600}", "\u{FEFF}", "\u{7F}", "\\n", "\\\"",
      "\\\\",
      "\\/", "\\u00e9", "\\u0000", "\\u001f", "00000000-0000-4000-8000-0000000000ff",
    ]
    let odd = [
      "\\ud83d\\ude00", "\\ud800", "\\udc00\\ud800", "\\x", "\\u12", "\t", "\u{0}", "\"", "\\u 123", "\\u+123",
    ]
    return "\"\(list { $0.pick(pieces, odd: odd) })\"".replacing(",", with: "")
  }

  private mutating func device() -> String {
    let texts = [
      "osName", "osVersion", "model", "locale", "country", "appVersion", "appBuild", "sdkName", "sdkVersion",
    ]
    var members = texts.filter { _ in Bool.random(using: &generator) }.map { "\"\($0)\":\"1.10\"" }
    if !isOdd() { members.append(#""timeZoneOffset":\#(integer())"#) }
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func property() -> String {
    let values = [
      #""string":\#(text())"#, #""integer":\#(integer())"#, #""double":\#(double())"#, #""boolean":\#(boolean())"#,
      #""date":\#(integer())"#,
    ]
    let value = pick(values, odd: ["", values.joined(separator: ","), #""string":null"#])
    return #"{"name":\#(text()),\#(value)}"#
  }
}
