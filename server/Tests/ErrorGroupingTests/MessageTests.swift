import Testing

@testable import ErrorGrouping

@Suite struct MessageTests {
  @Test(arguments: [
    ("The operation couldn’t be completed. (NSURLErrorDomain error -1009.)", "NSURLErrorDomain -1009"),
    ("The operation couldn't be completed. (NSURLErrorDomain error -1009.)", "NSURLErrorDomain -1009"),
    ("The operation could not be completed. (App.PlayerError error 1.)", "App.PlayerError 1"),
    ("Der Vorgang konnte nicht abgeschlossen werden. (NSCocoaErrorDomain-Fehler 4.)", "NSCocoaErrorDomain 4"),
    ("L’opération n’a pas pu s’achever. (erreur NSCocoaErrorDomain 4.)", "NSCocoaErrorDomain 4"),
    ("操作を完了できませんでした。（NSCocoaErrorDomainエラー4）", "NSCocoaErrorDomain 4"),
    ("未能完成操作。（NSCocoaErrorDomain错误4。）", "NSCocoaErrorDomain 4"),
    ("No se ha podido completar la operación. (NSCocoaErrorDomain error 4.)", "NSCocoaErrorDomain 4"),
    ("x (App.(unknown context at $1045c1f8).PlayerError error 0.)", "App.PlayerError 0"),
    (#"Error Domain=NSURLErrorDomain Code=-1009 "offline" UserInfo={a=b}"#, "NSURLErrorDomain -1009"),
    (#"codecMissing("hevc")"#, "codecMissing"), ("networkGone", "networkGone"),
  ]) func `a case, or domain and code, are found in a message`(message: String, detail: String) {
    #expect(MessageFacts.caseName(message) == detail)
  }

  @Test(arguments: [
    "no codec for hevc", "failed (see 12 above)", "failed (4)", "", "user12345", "(", ")", "lost (anna)", "5 errors",
  ]) func `free text has no case`(message: String) { #expect(MessageFacts.caseName(message) == nil) }

  @Test func `four errors without frames of four domains are four groups`() {
    let domains = ["NSURLErrorDomain", "NSCocoaErrorDomain", "NSPOSIXErrorDomain", "App.PlayerError"]
    let keys = domains.map {
      key("", type: "NSError", message: "The operation couldn’t be completed. (\($0) error 4.)", isCrash: false).value
    }
    #expect(Set(keys).count == 4)
  }

  @Test(arguments: [
    ("user 17 of 20", "user 3 of 4"), ("no file “a.mp3”", "no file “b.mp3”"), ("cannot open: a b", "cannot open: c"),
    ("gone /var/x", "gone /tmp/y"), ("lost (a)", "lost (b c)"), ("the user's 'a' ended", "the user's 'b' ended"),
    ("session 0C7C9D1E-5A77 ended", "session 7B0E2C5E-6C2B ended"), ("mail to a@b.c failed", "mail to d@e.f failed"),
    ("A/Main.swift:7: Fatal error: no value", "B/Main.swift:9: Fatal error: no value"),
    ("broken\nanna wrote it", "broken\nbob wrote it"), ("data 「a」 ended", "data 「b」 ended"),
  ]) func `details of a message don't count`(one: String, two: String) {
    #expect(MessageFacts.shape(one) == MessageFacts.shape(two))
    #expect(MessageFacts.shape(one) != MessageFacts.shape("something else"))
    #expect(key("", message: one).value == key("", message: two).value)
  }

  @Test(arguments: [
    ("Fatal error: Index out of range", "Fatal error: Division by zero"),
    (
      "terminate called after throwing an instance of 'std::bad_alloc'",
      "terminate called after throwing an instance of 'a::E'"
    ),
    ("-[Label setName:]: unrecognized selector", "-[Feed reload]: unrecognized selector"),
    ("free(): invalid pointer", "malloc(): corrupted top size"),
  ]) func `two reasons are two groups`(one: String, two: String) {
    #expect(key("libc.so.6(+0x1) [ab]", message: one).value != key("libc.so.6(+0x1) [ab]", message: two).value)
  }

  @Test func `text between a name and the stack never decides`() {
    func stack(_ name: String) -> String {
      "Lost: it belongs to\n\(name)\nand at \(name)\n  at \(name)\n\tat a.Store.open(Store.java:9)\n"
    }
    func message(_ name: String) -> String { "it belongs to\n\(name)\nand at \(name)\n  at \(name)" }
    #expect(
      key(stack("anna"), type: "Lost", message: message("anna"), isCrash: false)
        == key(stack("bob"), type: "Lost", message: message("bob"), isCrash: false))
    let plain = "Lost: 7\nanna\n\tat a.Store.open(Store.java:9)"
    #expect(key(plain, type: "Lost").value == key(plain.replacing("anna", with: "bob"), type: "Lost").value)
  }

  @Test func `descriptions of Google's protocol name type and frame`() {
    func described(_ text: String) -> GroupKey { key("", type: text, message: text) }
    let one = described("NullPointerException (@Player:play:42) {main}")
    #expect(described("NullPointerException (@Player:play:51) {AsyncTask #3}") == one && one.place == "Player.play")
    #expect(described("NullPointerException (@Player:stop:42) {main}").value != one.value)
    #expect(described("RangeError (@Player:play:42) {main}").value != one.value)
    let stack = "\tat a.Store.open(Store.java:9)"
    #expect(key(stack, type: "E", message: "anna at a.b(c.d:1)") == key(stack, type: "E", message: "bob is gone"))
    #expect(described("NSRangeException: index 7 at 3 App 0x10 play + 28").place == "play")
  }

  @Test func `signals that one fault raises on two processors are one`() {
    #expect(key("App(+0x1) [ab]", type: "SIGILL") == key("App(+0x1) [ab]", type: "SIGTRAP"))
    #expect(key("App(+0x1) [ab]", type: "SIGSEGV").value != key("App(+0x1) [ab]", type: "SIGTRAP").value)
    #expect(
      key("", type: "App.(unknown context at $10a4f).Gone", message: "a")
        == key("", type: "App.(unknown context at $2).Gone", message: "a"))
  }
}
