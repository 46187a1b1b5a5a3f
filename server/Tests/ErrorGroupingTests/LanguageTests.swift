import Testing

@testable import ErrorGrouping

/// The stacks of ten languages: in another build and launch the group is the same, in another function it isn't.
@Suite struct LanguageTests {
  struct Language: Sendable, CustomTestStringConvertible {
    var name: String
    var stack: String
    /// Parts of the stack that differ in another build or launch.
    var changes: [String: String]
    var place: String
    /// The part of the stack that names the function.
    var function: String
    var testDescription: String { name }
  }

  static let languages = [
    Language(
      name: "Swift",
      stack: """
        0 [ra] [system] 0x00007f0689722 swift_unexpectedError + 54 in libswiftCore.so
        1 [ra] 0x000056256192 closure #2 (Swift.Int) -> () in Player.play<A>(_:) + 283 in app at /b/Player.swift:7:3
        2 [ra] 0x000056256193 static App.run() + 4 in app at /b/App.swift:9:1
        """, changes: ["283": "299", "closure #2": "closure #3", "/b/": "/w/", ":7:3": ":8:3", "0x000056": "0x000055"],
      place: "Player.play", function: "play"),
    Language(
      name: "Objective-C",
      stack: """
        0   CoreFoundation   0x0000000187e4 __exceptionPreprocess + 164
        1   libobjc.A.dylib  0x000000018796 objc_exception_throw + 60
        2   Player           0x000000010438 __29-[Store open:mode:]_block_invoke_2 + 28
        3   Player           0x000000010439 main + 28
        """, changes: ["+ 28": "+ 32", "0x0000000104": "0x0000000204", "invoke_2": "invoke"],
      place: "-[Store open:mode:]", function: "open"),
    Language(
      name: "C++",
      stack: """
        #0  0x00007f in raise () from /lib/x86_64-linux-gnu/libc.so.6
        #1  0x00007e in std::terminate() () from /usr/lib/x86_64-linux-gnu/libstdc++.so.6
        #2  0x000055 in app::Store<int>::open(char const*, int) [clone .cold] (name=0x1 "anna") at /b/store.cc:12
        #3  0x000056 in main () at main.cc:3
        """, changes: ["<int>": "<long>", "char const*": "char*", ":12": ":14", "[clone .cold] ": "", "anna": "bob"],
      place: "app::Store::open", function: "open"),
    Language(
      name: "Rust",
      stack: """
           0: rust_begin_unwind
                     at /rustc/a28077b28a02/library/std/src/panicking.rs:645:5
           1: core::panicking::panic_fmt
           2: <app::store::Store as app::Open>::open::{{closure}}::h0123456789abcdef
                     at ./src/store.rs:12:9
           3: app::main
        """,
      changes: ["0123456789abcdef": "fedcba9876543210", "12:9": "14:9", "a28077": "b17077", "::{{closure}}": ""],
      place: "app::store::Store::open", function: ">::open"),
    Language(
      name: "Go",
      stack: """
        panic: broken
        goroutine 1 [running]:
        runtime.gopanic({0x1, 0x2})
        \t/usr/local/go/src/runtime/panic.go:884 +0x212
        main.(*Store).open.func1(0xc000)
        \t/b/store.go:12 +0x1d
        main.main()
        \t/b/main.go:3 +0x1d
        """, changes: ["0xc000": "0xd000", "store.go:12 +0x1d": "store.go:14 +0x3d", ".func1": ".func2"],
      place: "main.Store.open", function: "open"),
    Language(
      name: "Kotlin",
      stack: """
        \tat java.util.ArrayList.get(ArrayList.java:437)
        \tat app.Store$Companion$open$1.invoke(Store.kt:12)
        \tat app.Main.onCreate(Main.kt:3)
        \tat android.app.Activity.performCreate(Activity.java:7)
        """, changes: [".kt:12": ".kt:14", "$1.invoke": "$2.invoke", "437": "459", ":7": ":9"],
      place: "app.Store$Companion$open.invoke", function: "open"),
    Language(
      name: ".NET",
      stack: """
           at System.ThrowHelper.ThrowArgumentOutOfRange_IndexException()
           at System.Collections.Generic.List`1.get_Item(Int32 index)
           at App.Store.<Open>d__5.MoveNext() in C:\\b\\Store.cs:line 12
        --- End of stack trace from previous location ---
           at App.Main.Run(String[] args) in C:\\b\\Main.cs:line 3
        """, changes: ["d__5": "d__6", "line 12": "line 14", "C:\\b": "/w", "String[]": "Object"],
      place: "App.Store.Open", function: "Open"),
    Language(
      name: "JavaScript",
      stack: """
        TypeError: x is undefined
            at Object.assertOk (node:assert:12:3)
            at async Store.open [as run] (file:///b/store.js:12:5)
            at /b/node_modules/express/lib/router.js:7:1
            at main (/b/main.js:3:1)
        """, changes: ["store.js:12:5": "store.js:14:5", "[as run]": "[as go]", "router.js:7": "router.js:9"],
      place: "Store.open", function: "open"),
    Language(
      name: "Python",
      stack: """
        Traceback (most recent call last):
          File "/b/main.py", line 3, in <module>
            Store().open()
          File "/b/store.py", line 12, in open_file
            json.loads(x)
          File "/usr/lib/python3.12/json/decoder.py", line 355, in decode
            raise JSONDecodeError
        ValueError: anna
        """, changes: ["line 12": "line 14", "355": "357", "anna": "bob", "/b/": "/w/"],
      place: "open_file", function: "open_file"),
    Language(
      name: "Dart",
      stack: """
        #0      List.[] (dart:core-patch/growable_array.dart:264:36)
        #1      _Store.open.<anonymous closure> (package:app/store.dart:12:5)
        <asynchronous suspension>
        #2      main (package:app/main.dart:3:1)
        """, changes: ["12:5": "14:5", "264": "270", ".<anonymous closure>": ""],
      place: "_Store.open", function: "open"),
  ]

  @Test(arguments: languages) func `a language's stack is one group in each build, and another for another function`(
    language: Language
  ) {
    let one = key(language.stack, type: "E")
    #expect(one.place == language.place)
    for (old, new) in language.changes {
      #expect(language.stack.contains(old), "\(old)")
      #expect(key(language.stack.replacing(old, with: new), type: "E").value == one.value, "\(old)")
    }
    let other = language.function.replacing("open", with: "close").replacing("Open", with: "Close").replacing(
      "play", with: "stop")
    #expect(key(language.stack.replacing(language.function, with: other), type: "E").value != one.value)
  }

  @Test(arguments: [
    ("Player.play(_:)", "Player.play"), ("Store.find(id:name:)", "Store.find(id:name:)"),
    ("App.Store.find(id: Swift.Int, name: Swift.String) -> App.Row?", "Store.find(id:name:)"),
    ("open(std::string, a::B)", "open"),
    ("Cache<Swift.Int, App.Photo>.value(for: Swift.Int) -> App.Photo?", "Cache.value(for:)"),
    ("App.Player.play(_: Swift.Int) -> ()", "Player.play"),
    ("closure #1 (Swift.Int) -> () in App.Player.play() -> ()", "Player.play"),
    ("specialized Player.play(_:)", "Player.play"),
    ("generic specialization <Swift.Int> of App.Player.play<A>(A) -> ()", "Player.play"),
    ("App.Player.(load in _D3B0)(Swift.Int) -> ()", "Player.load"),
    ("Stream.__allocating_init(host:)", "Stream.init(host:)"),
    ("protocol witness for Writer.send(_:) in conformance HTTPWriter", "Writer.send"),
    ("@objc Player.play()", "Player.play"),
    ("(extension in App):Swift.Array.chunks(of: Swift.Int) -> [A]", "Array.chunks(of:)"),
    ("partial apply for closure #1 in Player.play()", "Player.play"), ("reabstraction thunk helper from @a", ""),
    ("(1) await resume partial function for Player.play()", "Player.play"), ("main + 52", "main"),
    ("main + 0x309", "main"),
    ("app::operator<<(std::ostream&, int)", "app::operator<<"), ("Store::operator()(int) const", "Store::operator()"),
    ("(anonymous namespace)::open(int)", "::open"), ("foo.isra.0.part.1", "foo"), ("foo.llvm.123", "foo"),
    ("void app::play<int>(int)", "app::play"), ("_ZN4boot6Loader4openEPKc", "boot::Loader::open"),
    ("_ZN3app3run17h0123456789abcdefE", "app::run"),
    ("_Z4playi", "play"), ("lambda$onCreate$0", "lambda$onCreate"), ("access$100", "access"),
    ("a.B$$Lambda$12.run", ""),
    ("Outer$1.run", "Outer.run"), ("a.Store.<init>", "a.Store.<init>"), ("load-B7oiUAE", "load"),
    ("<>c__DisplayClass5_0.<Run>b__0", "c__DisplayClass5_0.Run"),
    ("main.(*Store).open", "main.Store.open"), ("main.run[...]", "main.run"), ("t", "t"),
    ("$s4App4playyyF", "$s4App4playyyF"), ("", ""),
    ("-[Store open:mode:]", "-[Store open:mode:]"), ("+[Store(App) shared]", "+[Store(App) shared]"),
  ]) func `a name loses what a compiler adds`(name: String, plain: String) {
    #expect(FunctionName.normalized(Piece(name)) == plain)
  }

  @Test(arguments: [
    "Sentry.capture", "io.sentry.Hub.capture", "TernClient.track", "Tern.TernClient.record", "-[MSACCrashes foo]",
    "abort",
    "_assertionFailure", "core::panicking::panic", "java.lang.Throwable.fillInStackTrace",
  ]) func `reporters and failures never decide`(function: String) {
    let stack = "  at \(function)\n  at Shop.pay"
    #expect(key(stack, type: "E") == key("  at Shop.pay", type: "E"))
  }

  @Test(arguments: [
    "Ternary.play", "AbortController.stop", "Sentryless.run", "Mainline.go", "kotlinApp.Main.run", "GAINS.pay",
  ])
  func `names that only begin alike are the app's`(function: String) {
    #expect(key("  at \(function)\n", type: "E").place == function)
  }
}
