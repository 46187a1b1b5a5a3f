import Testing

@testable import Tern

@Suite struct `The path monitor's updates` {
  private let none = NetworkPath(isSatisfied: false, interfaces: [])
  private let wireless = NetworkPath(isSatisfied: true, interfaces: ["en0", "pdp_ip0"])
  private let mobile = NetworkPath(isSatisfied: true, interfaces: ["pdp_ip0"])

  private func changes(_ paths: NetworkPath...) -> [Bool] {
    var changes = NetworkPathChanges()
    return paths.map { changes.updated($0) }
  }

  @Test func `the first update is no change`() {
    #expect(changes(wireless) == [false])
    #expect(changes(none) == [false])
  }

  @Test func `gaining a path is a change, and losing it is not`() {
    #expect(changes(none, wireless, none, wireless) == [false, true, false, true])
  }

  @Test func `moving to another interface is a change, in either direction`() {
    #expect(changes(wireless, mobile, wireless) == [false, true, true])
  }

  @Test func `the same path again, or a second one next to it, is no change`() {
    var withoutMobile = wireless
    withoutMobile.interfaces = ["en0"]
    #expect(changes(wireless, wireless, withoutMobile, wireless) == [false, false, false, false])
  }
}
