import Testing

@testable import Tern

@Suite struct `Whether somebody can use the app` {
  @Test func `a machine that wakes does not bring back an app that is hidden`() {
    var presence = Presence()
    #expect(presence.update { $0.isHidden = true } == .left)
    #expect(presence.update { $0.isAsleep = true } == nil)
    #expect(presence.update { $0.isAsleep = false } == nil)
    #expect(presence.update { $0.isHidden = false } == .came)
  }

  @Test func `the same word twice changes nothing`() {
    var presence = Presence()
    #expect(presence.update { $0.isAsleep = false } == nil)
    #expect(presence.update { $0.isAsleep = true } == .left)
    #expect(presence.update { $0.isAsleep = true } == nil)
    #expect(presence.update { $0.isAsleep = false } == .came)
  }
}
