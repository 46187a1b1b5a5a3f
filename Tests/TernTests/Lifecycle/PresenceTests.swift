import Testing

@testable import Tern

@Suite struct `The app's presence` {
  @Test func `does not return when the machine wakes while the app is hidden`() {
    var presence = Presence()
    #expect(presence.update { $0.isHidden = true } == .left)
    #expect(presence.update { $0.isAsleep = true } == nil)
    #expect(presence.update { $0.isAsleep = false } == nil)
    #expect(presence.update { $0.isHidden = false } == .came)
  }

  @Test func `does not change when a notification repeats`() {
    var presence = Presence()
    #expect(presence.update { $0.isAsleep = false } == nil)
    #expect(presence.update { $0.isAsleep = true } == .left)
    #expect(presence.update { $0.isAsleep = true } == nil)
    #expect(presence.update { $0.isAsleep = false } == .came)
  }
}
