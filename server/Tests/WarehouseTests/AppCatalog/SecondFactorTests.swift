import Cryptography
import Foundation
import GRDB
import ServerBase
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite

/// Tests second factors in the catalog.
@Suite struct SecondFactorTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog
  private let time = Locked(Timestamp(millisecondsSince1970: 1_800_000_000_000))

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try Catalog(
      directory: directory.path, passwordCost: PasswordCost(exponent: 4), now: { [time] in time.withLock { $0 } })
    try catalog.setPassword("correct horse battery", of: 1, keeping: nil)
  }

  private func pass(_ duration: Duration) { time.withLock { $0 = $0 + duration } }

  /// The code that an app shows now.
  private func code(_ key: String) throws -> String {
    let seconds = time.withLock { $0 }.millisecondsSince1970 / 1_000
    return OneTimePassword(key: try #require(Base32.decode(key))).code(ofStep: seconds / 30)
  }

  private func turnOn() throws -> (key: String, recoveryCodes: [String]) {
    let key = catalog.newSecondFactorKey()
    return (key, try #require(try catalog.turnOnSecondFactor(key: key, code: try code(key), of: 1, keeping: nil)))
  }

  /// A code that is surely wrong.
  private static let wrong = "x"

  @Test func `a second factor is on after a right code, which does not work again`() throws {
    let key = catalog.newSecondFactorKey()
    #expect(try catalog.turnOnSecondFactor(key: key, code: Self.wrong, of: 1, keeping: nil) == nil)
    #expect(try catalog.accounts().map(\.hasSecondFactor) == [false])
    let first = try code(key)
    #expect(try catalog.turnOnSecondFactor(key: key, code: first, of: 1, keeping: nil)?.count == 10)
    #expect(try catalog.accounts().map(\.hasSecondFactor) == [true])
    #expect(try catalog.useCode(first, of: 1) == .wrong)
    pass(.seconds(30))
    let spaced = try code(key)
    #expect(try catalog.useCode("\(spaced.prefix(3)) \(spaced.suffix(3))", of: 1) == .right)
    #expect(throws: WarehouseError.self, "another one") {
      try catalog.turnOnSecondFactor(key: key, code: try code(key), of: 1, keeping: nil)
    }
  }

  @Test(arguments: ["", "MZXW6", "x", String(repeating: "A", count: 31)])
  func `keys that the server has not made are refused`(key: String) {
    #expect(throws: WarehouseError.self) {
      try catalog.turnOnSecondFactor(key: key, code: "000000", of: 1, keeping: nil)
    }
  }

  @Test func `each recovery code works once, and new ones replace the others`() throws {
    let codes = try turnOn().recoveryCodes
    #expect(Set(codes).count == 10)
    for code in codes { #expect(code.wholeMatch(of: /([A-Z2-7]{4}-){3}[A-Z2-7]{4}/) != nil) }
    #expect(try catalog.useCode(codes[0], of: 1) == .right)
    #expect(try catalog.useCode(codes[0], of: 1) == .wrong)
    #expect(try catalog.useCode(codes[1].lowercased().replacing("-", with: ""), of: 1) == .right)
    let others = try catalog.newRecoveryCodes(of: 1)
    #expect(try catalog.useCode(codes[2], of: 1) == .wrong)
    #expect(try catalog.useCode(others[0], of: 1) == .right)
    #expect(
      try catalog.audit(limit: 5).map { "\($0.action) \($0.subject)" } == [
        "recovery code used owner, 9 left", "recovery codes made owner", "recovery code used owner, 8 left",
        "recovery code used owner, 9 left", "second factor turned on owner",
      ])
  }

  @Test func `ten wrong codes close the second factor for an hour, and then each further one`() throws {
    let (key, recoveryCodes) = try turnOn()
    for _ in 0..<10 { #expect(try catalog.useCode(Self.wrong, of: 1) == .wrong) }
    pass(.seconds(3_599))
    #expect(try catalog.useCode(try code(key), of: 1) == .closed)
    pass(.seconds(1))
    #expect(try catalog.useCode(Self.wrong, of: 1) == .wrong)
    #expect(try catalog.useCode(try code(key), of: 1) == .closed)
    pass(.seconds(3_600))
    #expect(try catalog.useCode(try code(key), of: 1) == .right)
    for _ in 0..<9 { #expect(try catalog.useCode(Self.wrong, of: 1) == .wrong) }
    #expect(try catalog.useCode(recoveryCodes[0], of: 1) == .right, "a right code forgets the wrong ones")
    for _ in 0..<9 { #expect(try catalog.useCode(Self.wrong, of: 1) == .wrong) }
    pass(.seconds(30))
    #expect(try catalog.useCode(try code(key), of: 1) == .right)
  }

  @Test func `a clock that was set back does not keep the second factor closed`() throws {
    pass(.seconds(86_400))
    let key = try turnOn().key
    for _ in 0..<10 { _ = try catalog.useCode(Self.wrong, of: 1) }
    pass(.seconds(-3_600))
    let earlier = try code(key)
    #expect(try catalog.useCode(earlier, of: 1) == .wrong, "looked at, but the step was used")
  }

  @Test func `a recovery code opens a closed second factor, since it can't be guessed`() throws {
    let (key, recoveryCodes) = try turnOn()
    for _ in 0..<10 { _ = try catalog.useCode(Self.wrong, of: 1) }
    pass(.seconds(60))
    #expect(try catalog.useCode(try code(key), of: 1) == .closed)
    #expect(try catalog.useCode(recoveryCodes[0], of: 1) == .right)
    #expect(try catalog.useCode(try code(key), of: 1) == .right)
  }

  @Test func `turning a second factor on ends what was opened with the password alone`() throws {
    try catalog.setPassword("correct horse battery", of: 1, keeping: nil)
    func session() throws -> String {
      try catalog.createLoginSession(of: 1, lasting: .seconds(600), address: "", browser: "")
    }
    let (own, other) = (try session(), try session())
    let link = try catalog.createLoginCode()
    let key = catalog.newSecondFactorKey()
    let id = try catalog.loginSession(own)?.id
    #expect(try catalog.turnOnSecondFactor(key: key, code: try code(key), of: 1, keeping: id) != nil)
    #expect(try catalog.loginSession(own) != nil && catalog.loginSession(other) == nil)
    #expect(try catalog.account(loginCode: link) == nil)
  }

  @Test func `a login waits for its code for five minutes, and takes one right code`() throws {
    let (key, recoveryCodes) = try turnOn()
    let step = try catalog.beginLoginStep(of: 1, lasting: .seconds(300))
    #expect(try catalog.account(loginStep: step)?.name == "owner")
    #expect(try catalog.finishLoginStep("guess", code: recoveryCodes[0]) == nil)
    #expect(try catalog.finishLoginStep(step, code: Self.wrong) == .wrong)
    pass(.seconds(299))
    #expect(try catalog.finishLoginStep(step, code: try code(key)) == .right)
    #expect(try catalog.finishLoginStep(step, code: recoveryCodes[0]) == nil)
    let late = try catalog.beginLoginStep(of: 1, lasting: .seconds(300))
    pass(.seconds(300))
    #expect(try catalog.account(loginStep: late) == nil)
    #expect(try catalog.finishLoginStep(late, code: recoveryCodes[0]) == nil)
    #expect(try catalog.useCode(recoveryCodes[0], of: 1) == .right, "it was not used up")
  }

  @Test func `a new password and the end of the second factor end logins that wait`() throws {
    let (_, recoveryCodes) = try turnOn()
    let first = try catalog.beginLoginStep(of: 1, lasting: .seconds(300))
    try catalog.setPassword("correct horse battery", of: 1, keeping: nil)
    #expect(try catalog.finishLoginStep(first, code: recoveryCodes[0]) == nil)
    let second = try catalog.beginLoginStep(of: 1, lasting: .seconds(300))
    try catalog.removeSecondFactor(of: 1, isReset: true)
    #expect(try catalog.finishLoginStep(second, code: recoveryCodes[0]) == nil)
    #expect(try catalog.accounts().map(\.hasSecondFactor) == [false])
    #expect(try catalog.audit(limit: 1).map(\.action) == ["second factor reset"])
    #expect(throws: WarehouseError.self, "there is none") { try catalog.removeSecondFactor(of: 1, isReset: false) }
  }

  @Test func `only the latest ten logins of a user wait for a code`() throws {
    _ = try turnOn()
    let steps = try (0..<12).map { _ in try catalog.beginLoginStep(of: 1, lasting: .seconds(300)) }
    #expect(
      try steps.map { try catalog.account(loginStep: $0) != nil } == [false, false] + Array(repeating: true, count: 10))
  }

  @Test func `recovery codes and secrets of logins that wait are stored only as hashes`() throws {
    var secrets = try turnOn().recoveryCodes
    secrets += secrets.map { $0.replacing("-", with: "") }
    secrets.append(try catalog.beginLoginStep(of: 1, lasting: .seconds(300)))
    try catalog.close()
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/" + name))
      for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil) }
    }
  }

  @Test func `a removed user takes the second factor along`() throws {
    let ann = try catalog.invite(name: "ann", role: .viewer, apps: nil, seesPersonalData: false).account
    let key = catalog.newSecondFactorKey()
    #expect(throws: WarehouseError.self, "there is no password yet") {
      try catalog.turnOnSecondFactor(key: key, code: try code(key), of: ann.id, keeping: nil)
    }
    try catalog.setPassword("correct horse battery", of: ann.id, keeping: nil)
    let codes = try #require(try catalog.turnOnSecondFactor(key: key, code: try code(key), of: ann.id, keeping: nil))
    let step = try catalog.beginLoginStep(of: ann.id, lasting: .seconds(300))
    try catalog.removeAccount(ann.id)
    #expect(try catalog.account(loginStep: step) == nil)
    #expect(throws: WarehouseError.self) { try catalog.useCode(codes[0], of: ann.id) }
    #expect(try catalog.reading { try Int.fetchOne($0, sql: "SELECT count(*) FROM recovery_code") } == 0)
  }
}
