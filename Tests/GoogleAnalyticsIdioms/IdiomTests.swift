import GoogleAnalytics
import Testing

@Suite struct IdiomTests {
  /// One environment for the whole process: apps have only one instance, too.
  private static let instance: Bool = {
    useInstanceForIdioms()
    return true
  }()

  @Test func `every idiom compiles in this language mode, and runs`() async {
    #expect(Self.instance)
    let app = SignInController()
    app.configure()
    app.showScreen()
    app.showScreenInOtherWords()
    app.recordEvents(count: 3, flag: true, amount: nil)
    app.sell()
    app.signOut()
    await app.dispatchFromAsync()
    app.changeLogger()
    #expect(GAI.sharedInstance().defaultTracker.get(kGAITrackingId) == "UA-1000-1")
  }
}
