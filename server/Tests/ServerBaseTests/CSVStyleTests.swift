import Foundation
import ServerBase
import Testing

@Suite struct CSVStyleTests {
  private func text(_ fields: [CSVField], _ style: CSVStyle = CSVStyle()) -> String {
    String(decoding: style.line(fields), as: UTF8.self)
  }

  @Test func `an empty text is in quotes, and no value is nothing`() {
    for texts in CSVStyle.Texts.allCases {
      #expect(text([.text(""), .none, .text("a"), .none], CSVStyle(texts: texts)) == "\"\",,a,\r\n")
    }
  }

  @Test func `with a decimal comma, semicolons separate fields and a byte order mark begins the file`() {
    let style = CSVStyle(decimal: .comma)
    #expect(style.start == [0xEF, 0xBB, 0xBF] && CSVStyle().start.isEmpty)
    #expect(
      text([.number("0.8750"), .number("12"), .text("1.10"), .text("1,5")], style) == "0,8750;12;1.10;\"1,5\"\r\n")
    #expect(text([.number("-1.0e-07"), .none, .json(Array("[1.5]".utf8))], style) == "-1,0e-07;;[1.5]\r\n")
  }

  @Test(arguments: [
    ("=1+1", "'=1+1"), ("@SUM(A1)", "'@SUM(A1)"), ("+cmd|x", "'+cmd|x"), ("-2+3", "'-2+3"), ("-", "'-"), ("－1", "'－1"),
    ("＝1+1", "'＝1+1"), ("＋1", "'＋1"), ("＠x", "'＠x"), ("\t=1", "\"'\t'=1\""), ("\n=1", "\"'\n'=1\""),
    ("=a,b", "\"'=a,b\""), ("a;=b;c", "\"a;'=b;c\""), ("a,@b", "\"a,'@b\""), ("a\r\n+b", "\"a\r\n'+b\""),
    ("a\r\nb", "\"a\r\nb\""),
    ("a;-1,+2.5;-x", "\"a;'-1,+2.5;'-x\""), ("x;\"=1+1;y", "\"x;\"\"'=1+1;y\""), ("\"=1", "\"\"\"'=1\""),
    ("-1,5+3", "\"'-1,5+3\""), ("-33.86,151.2", "\"-33.86,151.2\""), ("a\"-1\"", "\"a\"\"-1\"\"\""),
    ("a;＝b", "\"a;'＝b\""), ("a\t=", "\"a\t'=\""), ("a; =b;", "\"a; =b;\""),
    ("-1", "-1"), ("+4.5", "+4.5"), ("-1.2.3", "-1.2.3"), ("-1e5", "'-1e5"),
    ("a=1", "a=1"), ("￥1", "￥1"), ("\u{1B}[2Jx", "\\u{1B}[2Jx"), ("\u{9B}31m,", "\"\\u{9B}31m,\""),
    ("\u{7F}\"\u{80}", "\"\\u{7F}\"\"\\u{80}\""), ("é\u{A0}", "é\u{A0}"),
  ])
  func `no spreadsheet runs a protected text, and no control character is left`(text: String, field: String) {
    #expect(String(decoding: CSVStyle().field(text), as: UTF8.self) == field)
  }

  @Test(arguments: [
    ("=1+1", "=1+1"), ("@x", "@x"), ("-2+3", "-2+3"), ("\t=1", "\"\t=1\""), ("＠x", "＠x"), ("\u{1B}[2J", "\u{1B}[2J"),
    ("\u{9B}", "\u{9B}"), ("a\"b", "\"a\"\"b\""),
  ])
  func `raw texts are quoted, and nothing else`(text: String, field: String) {
    #expect(String(decoding: CSVStyle(texts: .raw).field(text), as: UTF8.self) == field)
  }

  @Test(arguments: [
    ("de-DE,de;q=0.9,en;q=0.8", true), ("en-US,en;q=0.9,de;q=0.8", false), ("en;q=0.5, pl ;q=0.7", true),
    ("de-CH", false), ("de-CH-1996", false), ("de-AT-1996", true), ("DE-li", false), ("es-MX,es;q=0.9", false),
    ("es", true), ("es-Latn-MX", false), ("es-419", false), ("sr-Latn-RS", true), ("pt-BR", true), ("ja", false),
    ("", false), ("*", false), (";q=1", false), ("de;q=x", false), ("de;q=0", false), ("fr,en", true),
    (String(repeating: "xx;q=0.1,", count: 20) + "de", false),
  ])
  func `the decimal sign is that of the language that a reader likes best`(header: String, isComma: Bool) {
    #expect(CSVStyle.Decimal(acceptLanguage: header) == (isComma ? .comma : .point))
  }

  @Test(arguments: [
    ("[\"\u{9B}\u{7F}\"]", "[\"\\u009B\\u007F\"]"),
    ("[\"a;=b\",\"c,@d\",\";-1\"]", "[\"a;\\u003Db\",\"c,\\u0040d\",\";\\u002D1\"]"),
    ("[1.5,-2,\"=a\",\"-b\"]", "[1.5,-2,\"\\u003Da\",\"\\u002Db\"]"),
    ("[\"a,-1+7,b\",-1e+5]", "[\"a,\\u002D1+7,b\",-1e+5]"), ("[\"\\\"=1\",\"a=\"]", "[\"\\\"\\u003D1\",\"a=\"]"),
    ("[\"\\\\\",\";＝1\"]", "[\"\\\\\",\";\\uFF1D1\"]"),
  ])
  func `control characters and formulas of JSON get the escapes of JSON`(json: String, protected: String) throws {
    let field = text([.json(Array(json.utf8))])
    #expect(field == "\"\(protected.replacing("\"", with: "\"\""))\"\r\n")
    let (before, after) = (Data(json.utf8), Data(protected.utf8))
    #expect(
      try JSONDecoder().decode(JSONValues.self, from: after) == JSONDecoder().decode(JSONValues.self, from: before))
  }

  /// Texts and numbers of a list.
  private struct JSONValues: Decodable, Equatable {
    var texts: [String] = []

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      while !list.isAtEnd {
        if let number = try? list.decode(Double.self) {
          texts.append("\(number)")
        } else {
          texts.append(try list.decode(String.self))
        }
      }
    }
  }

  @Test(
    arguments: [
      (0, "0.0"), (-0.0, "0.0"), (1, "1.0"), (0.5, "0.5"), (0.875, "0.8750"), (3.125, "3.1250"), (-54.136, "-54.1360"),
      (0.001, "0.0010"), (0.0005, "0.0005"), (0.1234, "0.1234"), (1e-7, "1.0e-07"), (1.125e-7, "1.1250e-07"),
      (1e16, "1.0e+16"),
      (9_007_199_254_740_992, "9007199254740992.0"),
    ] as [(Double, String)])
  func `a fraction has a point, and never three digits after it`(number: Double, text: String) {
    #expect(FractionText.text(number) == text)
    #expect(Double(text) == number)
  }

  @Test func `a number that may be whole has a point only with a fraction`() {
    #expect([10, 0.875, -3, 2.5].map(FractionText.plain) == ["10", "0.8750", "-3", "2.5"])
    for number in [Double.infinity, -.infinity, .nan] {
      #expect(FractionText.text(number) == nil && FractionText.plain(number) == nil)
    }
    #expect(["12.50", "0.125", "7", "-1.250000"].map(FractionText.padded) == ["12.50", "0.1250", "7.0", "-1.250000"])
  }
}
