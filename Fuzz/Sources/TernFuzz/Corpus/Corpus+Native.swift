extension Corpus {
  private static let device =
    #""device":{"osName":"iOS","osVersion":"17.4","model":"iPhone15,2","locale":"pt_BR","country":"BR","#
    + #""timeZoneOffset":-180,"sdkName":"tern-swift","sdkVersion":"0.1.0"},"app":{"version":"1.2","build":"34"}"#
  private static let install = #""install":"00000000-0000-4000-8000-000000000001""#
  private static let clocks =
    "!Tern-Sent: time=1770033500000; uptime=900000; boot=b1\n"
    + "!Tern-Ledger: tracked=10; delivered=4; waiting=3; in-flight=2; dropped=1\n"

  /// A line with an event that the numbers tell from others.
  static func event(_ number: Int, _ members: String) -> String {
    let id = "00000000-0000-4000-9000-0000000000\(number + 10)"
    return #"{"id":"\#(id)",\#(install),"time":\#(1_770_030_000_000 + number * 1_000),\#(members),\#(device)}"#
  }

  private static let nativeEvents = [
    #""type":"event","name":"Play","properties":{"Category":"Film","Length":12.5,"Count":3,"HD":true}"#,
    #""type":"event","name":"Play","properties":{"Length":-0.0,"Count":9007199254740993,"At":{"date":1770000000000}}"#,
    #""type":"event","name":"Buy","user":"u1","session":"s1","properties":{"Total":9.99,"Currency":"EUR"}"#,
    #""type":"event","name":"caf\u00e9 \ud83d\ude00","properties":{"":"","a":null,"b":[1,{"c":2}]}"#,
    #""type":"screen","name":"Home","session":"s1""#,
    #""type":"screen","name":"Films","session":"s1","user":"u1""#,
    #""type":"session_start","session":"s1""#,
    #""type":"drops","properties":{"queue_full":2,"expired":9223372036854775807}"#,
    #""type":"handled_error","name":"Read","exception":{"type":"IOError","message":"disk 17 is full","frames":"#
      + #"[{"className":"Store","methodName":"open","fileName":"Store.swift","lineNumber":12}]}"#,
    #""type":"crash","exception":{"type":"SIGABRT","message":"m","stackTrace":"0 App 0x1 main + 4\n1 dyld start","#
      + #""innerExceptions":[{"type":"Inner","message":"deep"}]}"#,
    #""type":"attachment","attachment":{"id":"00000000-0000-4000-8000-000000000003","part":0,"parts":1,"name":"log","#
      + #""error":"00000000-0000-4000-8000-000000000002","contentType":"text/plain","data":"aGVsbG8="}"#,
    #""type":"attachment","attachment":{"id":"00000000-0000-4000-8000-000000000003","part":1,"parts":2,"#
      + #""error":"00000000-0000-4000-8000-000000000002","data":"aGVs"}"#,
    #""type":"event","name":"Play","boot":"b1","uptime":800000"#,
    #""type":"event","name":"Play","boot":"b0","uptime":1"#,
    #""type":"future","name":"x""#,
  ]

  /// An event of each kind, a day with a context, and clocks.
  static let native = texts(
    nativeEvents.enumerated().map { event($0, $1) }
      + [
        clocks + nativeEvents.enumerated().map { event($0, $1) }.joined(separator: "\n"),
        clocks + #"{"context":{\#(install),"session":"s2","user":"u2",\#(device)}}"# + "\n"
          + (0..<4).map { number in
            #"{"id":"00000000-0000-4000-a000-00000000000\#(number)","type":"event","name":"E\#(number)","#
              + #""time":\#(1_769_990_000_000 + number * 9_000_000)}"#
          }.joined(separator: "\n"),
        event(1, nativeEvents[0]) + "\n" + event(1, nativeEvents[0]),
        "!Tern-Sent: time=1770119900000; uptime=9223372036854775807; boot=b1\n" + event(1, nativeEvents[12]), "{}", "",
        "[1,2]", #"{"id":1}"#,
      ])
}
