import TernEvents
import Testing

@Suite struct `An event on the wire` {
  let device = Device(
    osName: "Debian GNU/Linux", osVersion: "12", osBuild: "6.1.0", model: "x86_64", manufacturer: "QEMU",
    locale: "pt_BR", country: "BR", timeZoneOffsetMinutes: -180, appVersion: "3.1", appBuild: "42",
    appNamespace: "player", sdkVersion: "0.1.0")
  let id = UniqueID(high: 0x019B_76DA_A800_7D74, low: 0xBC16_A3D4_CC48_678E)
  let install = UniqueID(high: 0x7C81_6738_C129_43B2, low: 0x913E_5DEC_6F8F_D8A8)

  func line(_ event: Event, device: String = #""device":{}"#) -> String {
    String(decoding: event.line(device: Array(device.utf8)), as: UTF8.self)
  }

  @Test func `has exactly this device`() {
    let expected = #"""
      "device":{"osName":"Debian GNU/Linux","osVersion":"12","osBuild":"6.1.0","model":"x86_64",\#
      "manufacturer":"QEMU","locale":"pt_BR","country":"BR","timeZoneOffset":-180,\#
      "sdkName":"tern-swift","sdkVersion":"0.1.0"},"app":{"version":"3.1","build":"42","namespace":"player"}
      """#
    #expect(String(decoding: device.encodedMembers(), as: UTF8.self) == expected)
  }

  @Test func `leaves out unknown values`() {
    let bare = Device(osName: "o", osVersion: "1", locale: "en", sdkVersion: "9")
    let expected = #"""
      "device":{"osName":"o","osVersion":"1","locale":"en","timeZoneOffset":0,\#
      "sdkName":"tern-swift","sdkVersion":"9"},"app":{"version":"0","build":"0"}
      """#
    #expect(String(decoding: bare.encodedMembers(), as: UTF8.self) == expected)
    let event = Event(
      id: id, kind: .sessionStart, name: "", time: Timestamp(millisecondsSince1970: 5), install: install)
    #expect(
      line(event) == #"""
        {"id":"019b76da-a800-7d74-bc16-a3d4cc48678e","type":"session_start","time":5,\#
        "install":"7c816738-c129-43b2-913e-5dec6f8fd8a8","device":{}}
        """#)
  }

  @Test func `includes all known values`() {
    let event = Event(
      id: id, name: "Video clicked", time: Timestamp(millisecondsSince1970: 1_767_225_600_000),
      uptimeMilliseconds: 1500, boot: "b", install: install, session: UniqueID(high: 1, low: 2), user: "u",
      properties: [
        "text": "Music", "whole": -3, "fraction": 12.5, "yes": true, "no": false,
        "when": Timestamp(millisecondsSince1970: 7),
      ])
    #expect(
      line(event) == #"""
        {"id":"019b76da-a800-7d74-bc16-a3d4cc48678e","type":"event","name":"Video clicked","time":1767225600000,\#
        "uptime":1500,"boot":"b","install":"7c816738-c129-43b2-913e-5dec6f8fd8a8",\#
        "session":"00000000-0000-0001-0000-000000000002","user":"u",\#
        "properties":{"text":"Music","whole":-3,"fraction":12.5,"yes":true,"no":false,"when":{"date":7}},"device":{}}
        """#)
  }

  @Test func `includes a repeated property once, with its last value`() {
    let event = Event(
      id: id, name: "n", time: Timestamp(millisecondsSince1970: 0), install: install,
      properties: ["a": 1, "b": 2, "a": 3, "b": 4])
    #expect(line(event).contains(#""properties":{"a":3,"b":4}"#))
  }

  @Test(arguments: EventKind.allCases) func `names its kind`(kind: EventKind) {
    let event = Event(id: id, kind: kind, name: "n", time: Timestamp(millisecondsSince1970: 0), install: install)
    #expect(line(event).contains(#""type":"\#(kind.rawValue)""#))
  }
}
