import Testing

@testable import ErrorGrouping

/// Returns the group of an error.
func key(
  _ stack: String, type: String = "SIGABRT", message: String = "", isCrash: Bool = true, fingerprint: String = "",
  rules: GroupingRules = .none, functions: [String: [String]] = [:]
) -> GroupKey {
  let error = GroupingError(isCrash: isCrash, type: type, message: message, stack: stack, fingerprint: fingerprint)
  let signature = Signature(error)
  #expect(Signature(text: signature.text) == signature)
  return GroupKey(signature, rules: rules) { position in
    functions["\(position.image)+\(String(position.offset, radix: 16))"]?.map { SymbolizedFunction(name: $0) }
  }
}

/// Tests the rules by which errors are grouped (docs/crashes.md).
@Suite struct GroupTests {
  private let system = """
    libc.so.6(+0x8a8ac) [ab]
      libc.so.6(+0x3c8f2) [ab]
      libc.so.6(+0x26537) [ab]

    """

  @Test func `two crashes with the same frames of the system are two groups`() {
    let one = key(system + "App(+0x100) [cd]")
    #expect(key(system + "App(+0x100) [cd]") == one && one.place == "App + 0x100")
    #expect(key(system + "App(+0x9999) [cd]").value != one.value)
    #expect(key("  0x7f1  libc.so.6(+0x1) [ab]\n  0x55  App(+0x100) [cd]").value == one.value)
  }

  @Test func `two exceptions of App Center with the same frames of the system are two groups`() {
    func thrown(_ offset: String) -> String {
      """
        CoreFoundation + 0x13e000
        libobjc.A.dylib + 0x52688
        CoreFoundation + 0x1dce00
        Player + \(offset)
      Thread 0 (crashed):
        libsystem_kernel.dylib + 0x1
        libsystem_c.dylib + 0x2

      """
    }
    let one = key(thrown("0x10"), type: "NSRangeException", message: "*** -[__NSArrayM objectAtIndex:]: index 3")
    #expect(one.place == "Player + 0x10")
    #expect(key(thrown("0x10"), type: "NSRangeException", message: "*** index 7").value == one.value)
    #expect(key(thrown("0x20"), type: "NSRangeException").value != one.value)
  }

  @Test func `a rebuild moves a crash to a new group until there are symbols`() {
    let (old, new) = (
      system + "App(+0x100) [aa11]\n  App(+0x400) [aa11]", system + "App(+0x180) [bb22]\n  App(+0x500) [bb22]"
    )
    #expect(key(old).value != key(new).value)
    #expect(key(old).value == key(old.replacing("aa11", with: "cc33")).value)
    let one = key(old, functions: ["App+100": ["unwrap()", "Player.play(_:)"], "App+400": ["static App.main()"]])
    let two = key(new, functions: ["App+180": ["unwrap()", "Player.play(_:)"], "App+500": ["static App.main()"]])
    #expect(one == two && one.place == "unwrap")
    #expect(key(new, functions: ["App+180": ["unwrap()", "Player.stop()"]]).value != two.value)
  }

  @Test func `positions are those of the app, the first of a stack as the fault`() {
    let stack = system + "App(+0x100) [CD-12]\n  App(+0x200) [cd12]\n  App(+0x200) [cd12]"
    let signature = Signature(GroupingError(isCrash: true, type: "SIGABRT", stack: stack))
    #expect(
      signature.positions
        == [0x100, 0x200].map {
          Position(image: "App", buildIdentifier: "cd12", offset: $0, kind: .returnAddress)
        })
    let fault = Signature(GroupingError(isCrash: true, type: "SIGSEGV", stack: "App(+0x100) [cd]"))
    #expect(fault.positions.map(\.kind) == [.fault])
    #expect(Signature(GroupingError(isCrash: true, type: "E", stack: "  at App.play (App.swift:1)")).positions.isEmpty)
  }

  @Test func `an app's fingerprint alone decides`() {
    let one = key("App(+0x1) [ab]", fingerprint: "checkout")
    #expect(key("", type: "Other", message: "m", isCrash: false, fingerprint: "checkout") == one)
    #expect(one.place == "checkout")
    #expect(key("App(+0x1) [ab]", fingerprint: "cart").value != one.value)
    let long = String(repeating: "a", count: 5_000)
    #expect(key("", fingerprint: long + "b").value != key("", fingerprint: long + "c").value)
    #expect(key("", fingerprint: "a\nb").value != key("", fingerprint: "a b").value)
  }

  @Test func `five places that report through one helper are five groups with a rule`() throws {
    let places = (0..<5).map {
      "  at Log.report(_:) (Log.swift:3)\n  at Log.send (Log.swift:9)\n  at Place\($0).run (P.swift:1)\n"
    }
    let rules = [
      try GroupingRules(skippedFunctions: ["report(_:)", "Log.send"]), try GroupingRules(skippedFiles: ["Log.*"]),
      try GroupingRules(skippedFunctions: ["*Log.*"]),
    ]
    #expect(Set(places.map { key($0, isCrash: false).value }).count == 1)
    for rules in rules {
      let keys = places.map { key($0, isCrash: false, rules: rules) }
      #expect(Set(keys.map(\.value)).count == 5 && keys[3].place == "Place3.run")
    }
    let stack = "  libplayer.so(+0x1) [ab]\n  App(+0x2) [cd]"
    #expect(key(stack, rules: try GroupingRules(skippedImages: ["libplayer*"])).place == "App + 0x2")
    // Rules that leave no frame skip nothing.
    #expect(key(stack, rules: try GroupingRules(skippedImages: ["*p*"])) == key(stack))
  }

  @Test func `rules are bounded, and refused with what to do`() throws {
    #expect(
      throws: GroupingRules.Invalid(description: "These are 101 rules. Leave at most 100; * stands for any text.")
    ) {
      try GroupingRules(skippedFiles: Array(repeating: "a", count: 101))
    }
    for rule in ["", " ", "**", "a\nb", String(repeating: "a", count: 201)] {
      #expect(throws: GroupingRules.Invalid.self) { try GroupingRules(skippedImages: [rule]) }
    }
    _ = try GroupingRules(skippedFunctions: [String(repeating: "é", count: 200)])
  }

  @Test(arguments: [
    ("a*b", "ab", true), ("a*b", "axxb", true), ("a*b", "axbc", false), ("*", "", true), ("a", "ab", false),
    ("*a*b*", "xxaxxbxx", true), ("", "a", false), ("é*", "éa", true), ("**b", "aab", true),
  ]) func `a star stands for any text`(rule: String, text: String, isMatch: Bool) {
    #expect(GroupingRules.Matcher.matches(Piece(text), Piece(rule)) == isMatch)
  }

  @Test func `the crashed thread is unknown if none is marked, and no idle thread decides`() {
    let idle = "Thread 0:\n  Player + 0x10\nThread 1:\n  Player + 0x20\n"
    let one = key(idle, message: "data parameter is nil")
    #expect(one.place.isEmpty)
    #expect(key(idle.replacing("0x10", with: "0x99"), message: "data parameter is nil").value == one.value)
    #expect(key(idle, message: "the stream ended").value != one.value)
    #expect(key(idle.replacing("Thread 1:", with: "Thread 1 (crashed):")).place == "Player + 0x20")
  }

  @Test func `the depth of a recursion does not matter`() {
    func stack(_ depth: Int, _ leaf: String = "leaf") -> String {
      "  at \(leaf)\n" + String(repeating: "  at parse\n", count: depth) + "  at load\n  at main"
    }
    let one = key(stack(2), type: "E")
    for depth in [3, 7, 8, 20, 60] { #expect(key(stack(depth), type: "E").value == one.value, "\(depth)") }
    #expect(key(stack(9, "other"), type: "E").value != one.value)
    #expect(key(stack(300, "a"), type: "E").value == key(stack(400, "b"), type: "E").value)
    let cycle = (0..<90).map { "  at \(["a", "b", "c"][$0 % 3])\n" }
    #expect(key(cycle.joined(), type: "E").value == key(cycle.dropFirst().joined(), type: "E").value)
  }

  @Test func `the innermost cause's frames decide, or else those of the next one`() {
    func stack(_ cause: String) -> String {
      "\tat java.lang.Thread.run(Thread.java:1)\n\tat a.Activity.start(Activity.java:7)\nCaused by: a.Broken: gone\n"
        + cause
    }
    #expect(key(stack("\tat a.Store.open(Store.java:9)\n"), type: "E").place == "a.Store.open")
    #expect(key(stack("\tat java.io.File.open(File.java:9)\n"), type: "E").place == "a.Activity.start")
    #expect(key(stack("\tSuppressed: x.Y: z\n\t\tat a.Other.close(O.java:1)\n"), type: "E").place == "a.Activity.start")
    let other = stack("\tat a.Store.open(Store.java:9)\n").replacing("a.Broken", with: "a.Late")
    #expect(key(other, type: "E").value != key(stack("\tat a.Store.open(Store.java:9)\n"), type: "E").value)
  }

  @Test func `the frames of a helper of the system decide above main alone`() {
    let stack = "SwiftUI(+0x10) [ab]\n  SwiftUI(+0x20) [ab]\n  App(+0x100) [cd]"
    let other = stack.replacing("SwiftUI(+0x10)", with: "SwiftUI(+0x11)")
    let main = ["App+100": ["main"]]
    #expect(key(stack).value == key(other).value)
    #expect(key(stack, functions: main).value != key(other, functions: main).value)
    #expect(
      key(stack, functions: ["App+100": ["App.run()"]]).value == key(other, functions: ["App+100": ["App.run()"]]).value
    )
  }
}
