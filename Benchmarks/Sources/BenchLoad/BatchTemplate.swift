import TernBase

/// One App Center request, with 50 events by default, as the stock SDK sends it, and the positions that differ between
/// requests.
///
/// Every event has its own ID and time, and the full device block; names, properties, devices and versions vary between
/// templates. Patching a template takes 50 ns per event, so the generator uses little of the two cores.
struct BatchTemplate {
  private(set) var bytes: [UInt8] = []
  private var identifiers: [Int] = []
  private var timestamps: [Int] = []
  private var install = 0
  private(set) var bodyStart = 0

  init(number: Int, events: Int, host: String, appSecret: String) {
    var body = #"{"logs":["#.utf8.map { $0 }
    let device = Self.device(number)
    for event in 0..<events {
      if event > 0 { body.append(UInt8(ascii: ",")) }
      let name = Self.name(number &* 31 &+ event &* 7)
      body += Array(#"{"type":"event","timestamp":""#.utf8)
      timestamps.append(body.count)
      body += Array("2026-01-01T00:00:00.000Z".utf8)
      body += Array(#"","sid":"7B0E2C5E-6C2B-4B57-9A5E-0D6B6F0B9E11","id":""#.utf8)
      identifiers.append(body.count)
      body += Array("00000000-0000-4000-8000-000000000000".utf8)
      body += Array(#"","name":"\#(name)","typedProperties":["#.utf8)
      body += Array(
        (#"{"type":"string","name":"Category","value":"\#(["Music", "Film", "Sport", "News"][(number + event) % 4])"},"#
          + #"{"type":"double","name":"Length","value":\#((number * 13 + event * 5) % 300).5},"#
          + #"{"type":"boolean","name":"HD","value":\#(event % 3 == 0)},"#
          + #"{"type":"long","name":"Position","value":\#((number + event) % 20)}],"device":"#).utf8)
      body += Array(device.utf8)
      body.append(UInt8(ascii: "}"))
    }
    body += Array("]}".utf8)
    var head = "POST /logs?api-version=1.0.0 HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/json\r\n"
    head += "App-Secret: \(appSecret)\r\nContent-Length: \(body.count)\r\nInstall-ID: "
    install = head.utf8.count
    head += "00000000-0000-4000-8000-000000000000\r\n\r\n"
    bodyStart = head.utf8.count
    bytes = Array(head.utf8) + body
    identifiers = identifiers.map { $0 + bodyStart }
    timestamps = timestamps.map { $0 + bodyStart }
  }

  /// Gives every event a new id and a time within the ten seconds before `now`, and the request an install.
  mutating func renew(now: Int64, installs: Int, generator: inout some RandomNumberGenerator) {
    let clock = ClockText(milliseconds: now - 10_000)
    bytes.withUnsafeMutableBufferPointer { bytes in
      for (index, place) in identifiers.enumerated() {
        writeIdentifier(generator.next(), generator.next(), at: place, in: bytes)
        clock.write(offset: Int64(index % 50) * 200 + Int64(generator.next() % 200), at: timestamps[index], in: bytes)
      }
      // Square-law activity, like that of real installs: a few are very active.
      let chance = Double(generator.next() >> 11) / Double(1 << 53)
      let number = UInt64(chance * chance * Double(installs))
      writeIdentifier(number &* 0x9E37_79B9_7F4A_7C15, number, at: install, in: bytes)
    }
  }

  private static func name(_ seed: Int) -> String {
    // Cube law over 101 names.
    let chance = Double((seed &* 2_654_435_761) & 0xFFFF) / 65_536
    let number = Int(chance * chance * chance * 101)
    return "Event \(number < 10 ? "00" : number < 100 ? "0" : "")\(number)"
  }

  private static func device(_ number: Int) -> String {
    let model = ["iPhone15,2", "iPhone14,5", "iPad13,4", "iPhone12,1", "iPhone16,1"][number % 5]
    let country = ["BR", "US", "DE", "JP", "IN", "FR", "GB", "MX"][number / 5 % 8]
    return #"{"sdkName":"appcenter.ios","sdkVersion":"5.0.7","model":"\#(model)","oemName":"Apple","osName":"iOS","#
      + #""osVersion":"17.\#(number % 6).1","osBuild":"21E236","locale":"pt_BR","timeZoneOffset":-180,"#
      + #""screenSize":"2556x1179","appVersion":"3.\#(number % 4).0","appBuild":"41\#(number % 4)","#
      + #""appNamespace":"br.example.player","carrierName":"Operadora","carrierCountry":"\#(country)"}"#
  }
}

/// Writes `YYYY-MM-DDTHH:MM:SS.mmmZ` without a formatter.
private struct ClockText {
  private let milliseconds: Int64
  private let date: [UInt8]

  init(milliseconds: Int64) {
    self.milliseconds = milliseconds
    date = civilDate(days: milliseconds / 86_400_000)
  }

  func write(offset: Int64, at place: Int, in bytes: UnsafeMutableBufferPointer<UInt8>) {
    let time = milliseconds + offset
    let sameDay = time / 86_400_000 == milliseconds / 86_400_000
    let date = sameDay ? date : civilDate(days: time / 86_400_000)
    for index in 0..<10 { bytes[place + index] = date[index] }
    let ofDay = Int(time % 86_400_000)
    func two(_ value: Int, _ offset: Int) {
      bytes[place + offset] = 0x30 + UInt8(value / 10)
      bytes[place + offset + 1] = 0x30 + UInt8(value % 10)
    }
    two(ofDay / 3_600_000, 11)
    two(ofDay / 60_000 % 60, 14)
    two(ofDay / 1_000 % 60, 17)
    two(ofDay % 1_000 / 10, 20)
    bytes[place + 22] = 0x30 + UInt8(ofDay % 10)
  }
}

private func civilDate(days: Int64) -> [UInt8] {
  let date = CivilDate(daysSince1970: Int(days))
  func padded(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
  return Array("\(date.year)-\(padded(date.month))-\(padded(date.day))".utf8)
}

private let hexadecimal = Array("0123456789ABCDEF".utf8)

private func writeIdentifier(
  _ high: UInt64, _ low: UInt64, at place: Int, in bytes: UnsafeMutableBufferPointer<UInt8>
) {
  var position = place
  hexadecimal.withUnsafeBufferPointer { digits in
    for nibble in 0..<32 {
      if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 { position += 1 }
      let half = nibble < 16 ? high : low
      bytes[position] = digits[Int(truncatingIfNeeded: half >> UInt64((15 - nibble & 15) * 4)) & 15]
      position += 1
    }
  }
}
