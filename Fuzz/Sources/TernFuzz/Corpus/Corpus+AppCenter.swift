extension Corpus {
  private static let device =
    #""device":{"sdkName":"appcenter.ios","sdkVersion":"5.0.7","model":"iPhone15,2","osName":"iOS","osVersion":"17.4","#
    + #""locale":"pt_BR","timeZoneOffset":-180,"appVersion":"1.2","appBuild":"34","carrierCountry":"BR"}"#
  private static let install = "!Install-ID: 00000000-0000-4000-8000-000000000001\n"

  private static let logs = [
    #""type":"startService","services":["Analytics"]"#, #""type":"startSession""#,
    #""type":"event","name":"Play","typedProperties":[{"type":"string","name":"Category","value":"Film"},"#
      + #"{"type":"long","name":"Count","value":12},{"type":"double","name":"Length","value":0.75},"#
      + #"{"type":"boolean","name":"HD","value":true},{"type":"dateTime","name":"At","value":"2026-01-27T22:10:00.000Z"}]"#,
    #""type":"event","name":"Buy","userId":"u1","properties":{"Plan":"Yearly","Coupon":""}"#,
    #""type":"page","name":"Home","properties":{"sort":"recent"}"#,
    #""type":"handledError","exception":{"type":"IOError","message":"disk","frames":[{"className":"Store","#
      + #""methodName":"open","fileName":"Store.ts","lineNumber":12}]},"properties":{"retry":"2"}"#,
    #""type":"managedError","fatal":true,"errorThreadId":1,"exception":{"type":"E","stackTrace":"at a\n"},"#
      + #""threads":[{"id":1,"name":"main","frames":[{"className":"A","methodName":"b"}]},{"id":2,"frames":[]}]"#,
    #""type":"appleError","osExceptionType":"SIGSEGV","osExceptionCode":"0x1","osExceptionAddress":"0x10","#
      + #""exceptionReason":"r","threads":[{"id":0,"frames":[{"address":"0x100001000","code":"x"}]}],"#
      + #""binaries":[{"id":"b","name":"App","startAddress":"0x100000000","endAddress":"0x100ffffff","path":"/App"}]"#,
    #""type":"errorAttachment","errorId":"00000000-0000-4000-9000-000000000015","contentType":"text/plain","#
      + #""fileName":"log","data":"aGVsbG8=""#,
    #""type":"futureLog","answer":42"#,
  ]

  private static func log(_ number: Int, _ members: String, time: String = "2026-02-02T11:00:00.000Z") -> String {
    let id = "00000000-0000-4000-9000-0000000000\(number + 10)"
    let session = "00000000-0000-4000-8000-00000000000\(number % 3)"
    return #"{"id":"\#(id)","timestamp":"\#(time)","sid":"\#(session)",\#(members),\#(device)}"#
  }

  private static func body(_ logs: [String]) -> String { install + #"{"logs":["# + logs.joined(separator: ",") + "]}" }

  /// A log of each type, all together, other times, and bodies that are divided into their logs.
  static let appCenter = texts(
    logs.enumerated().map { body([log($0, $1)]) }
      + [
        body(logs.enumerated().map { log($0, $1) }),
        body(
          ["2026-02-02T11:00:00Z", "2026-02-01T23:30:00.5+01:00", "2025-12-31T23:59:60Z", "1770030000000"].enumerated()
            .map { log($0, logs[3], time: $1) }),
        body([log(1, logs[2]), #"{"type":"event","name":"#, log(2, logs[3])]),
        body([log(1, logs[2]) + log(2, logs[3])]),
        body([log(1, #""type":"event","name":"N\u0000","typedProperties":[{"type":"long","value":1e308}]"#)]),
        #"{"logs":["# + log(1, logs[2]) + "]}", body([]), install + #"{"logs":5}"#, install + "{", "", "[]",
      ])
}
