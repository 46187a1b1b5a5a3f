import Dispatch
import Foundation
import GoogleAnalytics

/// An app written for Google Analytics for iOS v3. It reads commands from standard input, one per line:
///
///     TERN_COLLECTOR=http://127.0.0.1:8787 google-analytics-sample <tracking id> [dispatch interval in seconds]
///
///     tour NAME                    one hit of every kind
///     screen NAME
///     browse COUNT                 a number of screens
///     ago SECONDS NAME [start|end] a screen seen some seconds ago, which may start or end a session
///     orders COUNT                 orders until the process ends, with a dispatch after every COUNT
///     dispatch                     sends all waiting hits
///     once                         dispatch(completionHandler:), and its result
///     background, foreground       the app leaves and enters the foreground, with the documentation's listing
///     leave                        the same as `background`, with sendHitsInBackground()
///     wait SECONDS, quit
@main struct Main {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard let trackingId = arguments.first else {
      print(
        """
        usage: google-analytics-sample <tracking id> [dispatch interval in seconds]
        commands on standard input: tour NAME, screen NAME, browse COUNT, ago SECONDS NAME [start|end], orders COUNT,
        dispatch, once, background, foreground, leave, wait SECONDS, quit
        """)
      return
    }
    let interval = arguments.dropFirst().first.flatMap { TimeInterval($0) } ?? 120
    let delegate = AppDelegate(trackingId: trackingId, interval: interval)
    delegate.applicationDidFinishLaunching()
    let script = Script(delegate: delegate)
    // Apps use the main thread, and the library calls back on it: it must not block on input.
    Thread.detachNewThread {
      while let line = readLine() {
        if let seconds = Script.pause(line) { Thread.sleep(forTimeInterval: seconds) }
        DispatchQueue.main.sync { script.perform(line) }
      }
      Application.shared.terminate()
    }
    dispatchMain()
  }
}

/// The commands; called on the main thread only.
private struct Script: @unchecked Sendable {
  let delegate: AppDelegate
  private let player = Player()

  init(delegate: AppDelegate) { self.delegate = delegate }

  static func pause(_ line: String) -> TimeInterval? {
    let words = line.split(separator: " ")
    return words.first == "wait" ? words.dropFirst().first.flatMap { TimeInterval($0) } : nil
  }

  func perform(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    let name = words.count > 1 ? words[1] : ""
    switch words.first {
    case "tour": player.tour(name)
    case "screen": player.screen(name)
    case "browse": for number in 0..<(Int(name) ?? 1) { player.screen("Page \(number % 10)") }
    case "ago":
      let seconds = TimeInterval(name) ?? 0
      player.screen(words.count > 2 ? words[2] : "Past", ago: seconds, control: words.count > 3 ? words[3] : nil)
    case "orders": orders(Int(name) ?? 10)
    case "dispatch": GAI.sharedInstance().dispatch()
    case "once": GAI.sharedInstance().dispatch(completionHandler: { Journal.note("handler \($0)") })
    case "background": delegate.applicationDidEnterBackground()
    case "leave": GAI.sharedInstance().sendHitsInBackground { Journal.note("left \($0)") }
    case "foreground": delegate.applicationWillEnterForeground()
    case "wait": break
    case "quit": Application.shared.terminate()
    default: return Journal.note("unknown command \(line)")
    }
    Journal.note("done")
  }

  private func orders(_ count: Int) {
    var number = 0
    while true {
      number += 1
      player.order("O-\(getpid())-\(number)")
      if number % max(count, 1) == 0 { GAI.sharedInstance().dispatch() }
      Thread.sleep(forTimeInterval: 0.005)
    }
  }
}
