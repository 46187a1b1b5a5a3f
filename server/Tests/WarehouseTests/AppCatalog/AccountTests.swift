import Cryptography
import Foundation
import TernBase
import TernEvents
import Testing

@testable import AppCatalog
@testable import Warehouse
@testable import WarehouseSQLite

/// Tests accounts, logins, tokens, shared links and the audit log in the catalog.
@Suite struct AccountTests {
  private final class Fixture {
    let directory: TemporaryDirectory
    let catalog: Catalog
    private let time = Locked(Timestamp(millisecondsSince1970: 1_000_000))

    init() throws {
      directory = try TemporaryDirectory()
      catalog = try Catalog(
        directory: directory.path, passwordCost: PasswordCost(exponent: 4), now: { [time] in time.withLock { $0 } })
    }

    func pass(_ duration: Duration) { time.withLock { $0 = $0 + duration } }

    func session(of account: Int64 = 1, lasting duration: Duration = .seconds(100)) throws -> String {
      try catalog.createLoginSession(of: account, lasting: duration, address: "192.0.2.1", browser: "Browser")
    }
  }

  @Test func `a login code works once, until it expires or another replaces it`() throws {
    let fixture = try Fixture()
    let catalog = fixture.catalog
    let code = try catalog.createLoginCode()
    #expect(try catalog.redeemLoginCode("guess") == nil)
    #expect(try catalog.redeemLoginCode("") == nil)
    #expect(try catalog.redeemLoginCode(code)?.role == .owner, "wrong ones do not use it up")
    #expect(try catalog.redeemLoginCode(code) == nil)
    let replaced = try catalog.createLoginCode()
    let expiring = try catalog.createLoginCode()
    #expect(try catalog.redeemLoginCode(replaced) == nil)
    fixture.pass(.seconds(900))
    #expect(try catalog.redeemLoginCode(expiring) == nil)
  }

  @Test func `the first login link is printed until a person has logged in or a token exists`() throws {
    let fixture = try Fixture()
    #expect(try !fixture.catalog.isInUse())
    _ = try fixture.catalog.createLoginCode()
    #expect(try !fixture.catalog.isInUse())
    _ = try fixture.session()
    #expect(try fixture.catalog.isInUse())
    let other = try Fixture()
    _ = try other.catalog.createToken(name: "script", scopes: [.read])
    #expect(try other.catalog.isInUse())
  }

  @Test func `a session is valid until it ends or expires, and records its last use`() throws {
    let fixture = try Fixture()
    let catalog = fixture.catalog
    let short = try fixture.session(lasting: .seconds(10))
    let long = try fixture.session(lasting: .seconds(10_000))
    #expect(try catalog.loginSession(short)?.account.name == "owner")
    #expect(try catalog.loginSession("guess") == nil)
    fixture.pass(.seconds(600))
    #expect(try catalog.loginSession(short) == nil)
    let session = try #require(try catalog.loginSession(long))
    #expect(try catalog.loginSessions().map(\.id) == [session.id])
    #expect(try catalog.loginSessions().first?.used == Timestamp(millisecondsSince1970: 1_600_000))
    try catalog.endLoginSession(session.id)
    #expect(try catalog.loginSession(long) == nil)
  }

  @Test func `a password logs its user in, in any composition of its letters`() throws {
    let fixture = try Fixture()
    let catalog = fixture.catalog
    let ann = try catalog.invite(name: "Ann", role: .viewer, apps: nil, seesPersonalData: false).account
    #expect(try catalog.account(name: "Ann", password: "") == nil, "no password yet")
    for invalid in ["short", String(repeating: "x", count: 201)] {
      #expect(throws: WarehouseError.self) { try catalog.setPassword(invalid, of: ann.id, keeping: nil) }
    }
    let (kept, ended) = (try fixture.session(of: ann.id), try fixture.session(of: ann.id))
    let owner = try fixture.session()
    try catalog.setPassword("caf\u{E9} au lait", of: ann.id, keeping: try catalog.loginSession(kept)?.id)
    #expect(try catalog.loginSession(kept) != nil && catalog.loginSession(owner) != nil)
    #expect(try catalog.loginSession(ended) == nil, "a new password ends the account's other sessions")
    #expect(try catalog.account(name: "ann", password: "cafe\u{301} au lait")?.id == ann.id)
    #expect(try catalog.account(name: "Ann", password: "cafe au lait") == nil)
    #expect(try catalog.account(name: "owner", password: "caf\u{E9} au lait") == nil)
    #expect(try catalog.account(name: "nobody", password: "caf\u{E9} au lait") == nil)
  }

  @Test func `scrypt agrees with RFC 7914`() throws {
    // The vector for N = 16384, r = 8, p = 1, first 32 bytes.
    let stored =
      "14 8 1 536f6469756d43686c6f72696465 "
      + "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
    #expect(try Secrets.matches("pleaseletmein", stored: stored, cost: PasswordCost()))
    #expect(try !Secrets.matches("pleaseletmein!", stored: stored, cost: PasswordCost()))
  }

  @Test func `passwords and tokens that were stored with BoringSSL stay valid`() throws {
    // As the program of commit 0a10428b, which had swift-crypto, wrote them into its catalog.
    let stored =
      "15 8 3 e863a005c2162d213b47e5a15af2ff14 "
      + "c5086c84673710c3d4b68c32bcd6c9f59b18a920b982597ef24bd4bf0325df74"
    #expect(try Secrets.matches("caf\u{E9} au lait, 1 Tasse", stored: stored, cost: PasswordCost()))
    #expect(try !Secrets.matches("cafe au lait, 1 Tasse", stored: stored, cost: PasswordCost()))
    #expect(
      hexadecimal(Secrets.digest("ternt_CT67V7H2_LTFeOVayOZUWcy66e8QXvv6"))
        == "6a270de72b8388799b16a0a7be9289c216c81c06a757ba3a972410db48391d65")
  }

  @Test func `the last owner stays, names are unique, apps must exist`() throws {
    let fixture = try Fixture()
    let catalog = fixture.catalog
    let app = try catalog.createApp(name: "A")
    #expect(throws: WarehouseError.self) { try catalog.removeAccount(1) }
    #expect(throws: WarehouseError.self) { try catalog.changeAccount(1, AccountChange(role: .viewer)) }
    func invite(_ name: String, _ apps: Set<AppID>? = nil) throws -> Account {
      try catalog.invite(name: name, role: .editor, apps: apps, seesPersonalData: false).account
    }
    #expect(throws: WarehouseError.self) { try invite("OWNER") }
    #expect(throws: WarehouseError.self) { try invite("a\nb") }
    #expect(throws: WarehouseError.self) { try invite("bob", [AppID(7)]) }
    let ann = try invite("ann", [app.id])
    #expect(ann.apps == [app.id] && ann.role == .editor)
    #expect(try catalog.changeAccount(ann.id, AccountChange(apps: .some(nil))).apps == nil)
    #expect(try catalog.changeAccount(ann.id, AccountChange(role: .owner)).rights.allows(.administer))
    try catalog.removeAccount(1)
    #expect(try catalog.accounts().map(\.name) == ["ann"])
  }

  @Test func `a NUL in what a provider says finds nobody else's account`() throws {
    let fixture = try Fixture()
    let catalog = fixture.catalog
    let ann = try catalog.invite(name: "ann@example.org", role: .viewer, apps: nil, seesPersonalData: false).account
    func signIn(_ subject: String, email: String?) throws -> SignInOutcome {
      let identity = ProvidedIdentity(issuer: "https://id.example.org", subject: subject, verifiedEmail: email)
      return try catalog.signIn(identity, rights: nil, createsAccount: false)
    }
    #expect(try signIn("1", email: "ann@example.org\0x") == .noAccount(email: "ann@example.org\0x"))
    #expect(try signIn("1", email: "ann@example.org") == .account(ann))
    #expect(throws: WarehouseError.self) { try signIn("1\0", email: nil) }
    #expect(try signIn("1", email: nil) == .account(ann))
  }

  @Test func `new rights apply to a session at once, and a removed user has none`() throws {
    let fixture = try Fixture()
    let catalog = fixture.catalog
    let ann = try catalog.invite(name: "ann", role: .viewer, apps: nil, seesPersonalData: false)
    let session = try fixture.session(of: ann.account.id)
    #expect(try catalog.loginSession(session)?.account.rights.permissions == [.read])
    _ = try catalog.changeAccount(ann.account.id, AccountChange(seesPersonalData: true))
    #expect(try catalog.loginSession(session)?.account.rights.permissions == [.read, .readPersonalData])
    try catalog.removeAccount(ann.account.id)
    #expect(try catalog.loginSession(session) == nil)
    #expect(try catalog.redeemLoginCode(ann.code) == nil)
  }

  @Test func `a token is valid until it ends or is revoked, and records its last use`() throws {
    let fixture = try Fixture()
    let catalog = fixture.catalog
    let app = try catalog.createApp(name: "A")
    let (token, secret) = try catalog.createToken(name: "t", scopes: [.read], lasting: .seconds(1_000))
    #expect(try catalog.token(secret) == token)
    #expect(try catalog.tokens().first?.used == Timestamp(millisecondsSince1970: 1_000_000))
    #expect(try catalog.token(secret + "x") == nil)
    fixture.pass(.seconds(1_000))
    #expect(try catalog.token(secret) == nil)
    let (second, endless) = try catalog.createToken(name: "t", scopes: [.write], app: app.id)
    #expect(try catalog.token(endless)?.rights == Rights([.send], apps: [app.id]))
    #expect(try catalog.revokeToken(second.id))
    #expect(try !catalog.revokeToken(second.id))
    #expect(try catalog.token(endless) == nil)
    for attempt: () throws -> Void in [
      { _ = try catalog.createToken(name: "", scopes: [.read]) },
      { _ = try catalog.createToken(name: "t", scopes: []) },
      { _ = try catalog.createToken(name: "t", scopes: [.write]) },
      { _ = try catalog.createToken(name: "t", scopes: [.read], app: AppID(9)) },
    ] { #expect(throws: WarehouseError.self) { try attempt() } }
  }

  @Test(arguments: [
    "https://a.example; script-src *", "https://a.example/path", "*", "'self'", "javascript:x", "a.example", "https://",
    "https://a.example\r\nX: y",
  ])
  func `a shared link names only plain sites`(site: String) throws {
    let fixture = try Fixture()
    let app = try fixture.catalog.createApp(name: "A")
    #expect(throws: WarehouseError.self) {
      try fixture.catalog.createLink(app: app.id, report: "overview", query: "", sites: [site])
    }
  }

  @Test func `a shared link is valid until it ends or is revoked by an editor of its app`() throws {
    let fixture = try Fixture()
    let catalog = fixture.catalog
    let (app, other) = (try catalog.createApp(name: "A"), try catalog.createApp(name: "B"))
    let (link, secret) = try catalog.createLink(
      app: app.id, report: "events", query: "days=7", sites: ["https://a.example:8443"], lasting: .seconds(10))
    #expect(try catalog.link(secret) == link)
    #expect(try catalog.links(app: other.id).isEmpty && catalog.links(app: app.id) == [link])
    #expect(try !catalog.revokeLink(link.id, app: other.id))
    fixture.pass(.seconds(10))
    #expect(try catalog.link(secret) == nil)
    let (endless, second) = try catalog.createLink(app: app.id, report: "events", query: "", sites: [])
    #expect(try catalog.revokeLink(endless.id, app: app.id))
    #expect(try catalog.link(second) == nil)
  }

  @Test func `secrets are stored only as hashes`() throws {
    let fixture = try Fixture()
    let catalog = fixture.catalog
    let app = try catalog.createApp(name: "A")
    let password = "correct horse battery"
    try catalog.setPassword(password, of: 1, keeping: nil)
    let secrets = [
      password, try fixture.session(), try catalog.createLoginCode(),
      try catalog.invite(name: "ann", role: .viewer, apps: nil, seesPersonalData: false).code,
      try catalog.createToken(name: "t", scopes: [.manage]).secret,
      try catalog.createLink(app: app.id, report: "overview", query: "", sites: []).secret,
    ]
    try catalog.close()
    for name in try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path) {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.directory.path + "/" + name))
      for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil) }
    }
  }

  @Test func `every change is in the audit log with its originator`() throws {
    let fixture = try Fixture()
    let catalog = fixture.catalog
    try AuditActor.$current.withValue(AuditActor(name: "ann", address: "192.0.2.7")) {
      let app = try catalog.createApp(name: "A")
      try catalog.changeApp(app.id, AppChange(name: "B"))
      try catalog.changeApp(app.id, AppChange(newNamesPerDay: 5))
      let view = try catalog.createView(app: app.id, name: "V", timeZone: "UTC")
      _ = try catalog.setZone(of: view.id, to: "Europe/Berlin")
      var change = ViewChange()
      change.name = "W"
      _ = try catalog.changeView(view.id, change)
      try catalog.define(app: app.id, kind: .dimension, index: 1, name: "D")
      let bob = try catalog.invite(name: "bob", role: .viewer, apps: [app.id], seesPersonalData: false).account
      _ = try catalog.changeAccount(bob.id, AccountChange(role: .editor))
      _ = try catalog.createLoginCode(of: bob.id)
      try catalog.setPassword("correct horse battery", of: bob.id, keeping: nil)
      let session = try fixture.session(of: bob.id)
      try catalog.endLoginSession(try #require(try catalog.loginSession(session)).id)
      try catalog.removeAccount(bob.id)
      let token = try catalog.createToken(name: "t", scopes: [.read]).token
      _ = try catalog.revokeToken(token.id)
      let name = "Events · last 7 days"
      let link = try catalog.createLink(app: app.id, report: "events", query: "days=7", name: name, sites: []).link
      _ = try catalog.revokeLink(link.id, name: name)
      try catalog.recordFailedLogin("bob")
    }
    let entries = try catalog.audit(limit: 100).reversed()
    #expect(
      entries.map { "\($0.action) \($0.subject)" } == [
        "app created 1 A", "app changed 1: name B", "app changed 1: new names per day 5", "view created 1 V, app 1",
        "view changed 1, time zone Europe/Berlin", "view changed 1, from \(try #require(Self.nextDay))",
        "definition changed cd1 D, app 1", "user invited bob: viewer, apps 1", "user changed bob: editor, apps 1",
        "login link created bob", "password set bob", "login bob", "session ended bob", "user removed bob",
        "token created 1 t: read, all apps", "token revoked 1 t", "page shared 1: app 1, Events · last 7 days",
        "shared link revoked 1: Events · last 7 days",
      ])
    #expect(
      entries.filter { $0.action != "login" }.allSatisfy { $0.actor == AuditActor(name: "ann", address: "192.0.2.7") })
    let login = entries.first { $0.action == "login" }
    #expect(login?.actor == AuditActor(name: "bob", address: "192.0.2.1"))
    let latest = try catalog.audit(limit: 2)
    #expect(latest.map(\.action) == ["shared link revoked", "page shared"])
    #expect(try catalog.audit(before: latest.first?.id, limit: 1).map(\.action) == ["page shared"])
    let failed = try #require(try catalog.failedLogins(limit: 9).first)
    #expect(failed.name == "bob" && failed.address == "192.0.2.7" && failed.count == 1)
  }

  /// The first day that has not begun at the fixture's time, 1970-01-01 00:16 UTC.
  private static let nextDay = Day("1970-01-02")

  @Test func `links and tokens that have ended make room for others`() throws {
    let clock = Locked(Timestamp(millisecondsSince1970: 1_700_000_000_000))
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path, maximumCount: 1, now: { clock.withLock { $0 } })
    let app = try catalog.createApp(name: "A").id
    func create() throws {
      _ = try catalog.createLink(app: app, report: "events", query: "", sites: [], lasting: .seconds(60))
      _ = try catalog.createToken(name: "t", scopes: [.read], lasting: .seconds(60))
    }
    try create()
    let error = #expect(throws: WarehouseError.self) { try create() }
    #expect(error?.code == .invalid && error?.message.contains("Revoke one that is not used.") == true)
    clock.withLock { $0 = $0 + .seconds(60) }
    try create()
    #expect(try catalog.links().map(\.id) == [2] && catalog.tokens().map(\.id) == [2])
    try catalog.close()
  }

  @Test func `the audit log can't be changed or deleted`() throws {
    let fixture = try Fixture()
    try fixture.catalog.record(.login, "x")
    try fixture.catalog.record(.userChanged, "x")
    for statement in [
      "DELETE FROM audit", "UPDATE audit SET subject = 'y'", "UPDATE audit SET n = n + 1, last = 7, subject = 'y'",
      "UPDATE audit SET n = n + 2, last = 7", "UPDATE audit SET n = n + 1, last = 7 WHERE action = 'user changed'",
    ] {
      #expect(throws: (any Error).self) { try withConnection(fixture.catalog.pool) { try $0.execute(statement) } }
    }
    #expect(try fixture.catalog.audit(limit: 10).map(\.subject) == ["x", "x"])
    #expect(try fixture.catalog.audit(limit: 10).map(\.count) == [1, 1])
  }

  @Test func `actions that change nothing are counted for an hour, and changes are listed one by one`() throws {
    let start = Timestamp(millisecondsSince1970: 1_700_000_000_000)
    let clock = Locked(start)
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path, now: { clock.withLock { $0 } })
    func record(_ action: AuditEntry.Action, _ subject: String, address: String = "192.0.2.1", at minute: Int) throws {
      clock.withLock { $0 = start + .seconds(minute * 60) }
      try AuditActor.$current.withValue(AuditActor(name: "token t", address: address)) {
        try catalog.record(action, subject)
      }
    }
    for minute in [0, 10] { try record(.exported, "app 1", at: minute) }
    try record(.exported, "app 2", at: 20)
    try record(.exported, "app 1", address: "192.0.2.2", at: 30)
    try record(.login, "app 1", at: 40)
    try record(.exported, "app 1", at: 59)
    try record(.exported, "app 1", at: 60)
    for minute in [61, 62] { try record(.userChanged, "ann", at: minute) }
    let entries = try catalog.audit(limit: 20).reversed()
    #expect(
      entries.map { "\($0.action) \($0.subject) \($0.count)" } == [
        "data exported app 1 3", "data exported app 2 1", "data exported app 1 1", "login app 1 1",
        "data exported app 1 1", "user changed ann 1", "user changed ann 1",
      ])
    #expect(entries.first?.time == start && entries.first?.last == start + .seconds(59 * 60))
    #expect(entries.last?.last == start + .seconds(62 * 60))
    // The first entry has happened since, too.
    #expect(try catalog.pruneAudit(before: start + .seconds(50 * 60)) == 0)
    try catalog.close()
  }

  @Test func `a full audit log loses the entries of those who have most, and their changes last`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path)
    let maximum = Catalog.maximumEntries
    try withConnection(catalog.pool) { connection in
      for (actor, action, count, last) in [
        ("ann", "user changed", 30_000, "NULL"), ("ann", "login", maximum - 40_000, "i"),
        ("bob", "user changed", 9_999, "NULL"),
      ] {
        try connection.execute(
          """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
          INSERT INTO audit (time, actor, address, action, subject, last)
          SELECT i, '\(actor)', '', '\(action)', i, \(last) FROM n
          """)
      }
    }
    try AuditActor.$current.withValue(AuditActor(name: "bob", address: "")) { try catalog.record(.login, "bob") }
    let entries = try catalog.audit(limit: .max)
    let logins = entries.filter { $0.actor.name == "ann" && $0.action == "login" }
    #expect(logins.count == maximum - 40_000 - maximum / 10 && logins.last?.subject == "\(maximum / 10 + 1)")
    #expect(entries.count { $0.actor.name == "ann" && $0.action == "user changed" } == 30_000)
    #expect(entries.count { $0.actor.name == "bob" } == 10_000)
    #expect(entries.first?.actor == .server)
    try catalog.close()
  }

  @Test func `failed logins take bounded room, whatever names they give`() throws {
    let fixture = try Fixture()
    // One character of 16 KB.
    let long = "e" + String(repeating: "\u{301}", count: 8_000)
    for number in 0..<Catalog.maximumFailedLogins + 50 {
      try fixture.catalog.recordFailedLogin(number < 40 ? long : "\(number)")
    }
    let failed = try fixture.catalog.failedLogins(limit: .max)
    #expect(failed.count == Catalog.maximumFailedLogins && failed.first?.name == "\(Catalog.maximumFailedLogins + 49)")
    #expect(failed.allSatisfy { $0.name.utf8.count <= 100 })
    for _ in 0..<3 { try fixture.catalog.recordFailedLogin(long) }
    let latest = try #require(try fixture.catalog.failedLogins(limit: 1).first)
    #expect(latest.count >= 3 && latest.name == long.prefix(utf8Bytes: 100))
    #expect(try fixture.catalog.audit(limit: 9).isEmpty)
  }

  @Test func `old entries of the audit log can be deleted, which is recorded, and newer ones can't`() throws {
    let clock = Locked(Timestamp(millisecondsSince1970: 1_000_000))
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path, now: { clock.withLock { $0 } })
    for number in 0..<5 {
      try catalog.record(.exported, "\(number)")
      clock.withLock { $0 = $0 + .seconds(60) }
    }
    #expect(try catalog.pruneAudit(before: Timestamp(millisecondsSince1970: 1_120_000)) == 2)
    #expect(
      try catalog.audit(limit: 9).map(\.subject) == [
        "2 entries before \(Timestamp(millisecondsSince1970: 1_120_000).utcText(withMilliseconds: false))", "4", "3",
        "2",
      ])
    #expect(throws: (any Error).self) { try withConnection(catalog.pool) { try $0.execute("DELETE FROM audit") } }
    try catalog.close()
  }

  @Test func `entries from a while in which the clock was wrong are deleted with those around them`() throws {
    let clock = Locked(Timestamp(millisecondsSince1970: 0))
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path, now: { clock.withLock { $0 } })
    for second in [10, 20, 900, 30, 40, 950] {
      clock.withLock { $0 = Timestamp(millisecondsSince1970: Int64(second) * 1_000) }
      try catalog.record(.exported, "\(second)")
    }
    #expect(try catalog.pruneAudit(before: Timestamp(millisecondsSince1970: 25_000)) == 2)
    #expect(try catalog.audit(limit: 9).map(\.subject).dropFirst() == ["950", "40", "30", "900"])
    #expect(try catalog.pruneAudit(before: Timestamp(millisecondsSince1970: 1_000_000)) == 5)
    #expect(try catalog.audit(limit: 9).count == 1)
    try catalog.close()
  }

  @Test func `the audit log does not grow without end`() throws {
    let clock = Locked(Timestamp(millisecondsSince1970: 1_000_000))
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(directory: directory.path, now: { clock.withLock { $0 } })
    let (maximum, long) = (Catalog.maximumEntries, String(repeating: "é", count: 10_000))
    try withConnection(catalog.pool) { connection in
      try connection.execute(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(maximum - 1))
        INSERT INTO audit (time, actor, address, action, subject) SELECT i, 'a', '', 'login', 'old' FROM n
        """)
    }
    try catalog.record(.exported, long)
    let entries = try catalog.audit(limit: .max)
    #expect(entries.count == maximum - maximum / 10 + 1 && entries.first?.action == "audit log pruned")
    #expect(entries.dropFirst().first?.subject == long.prefix(utf8Bytes: 512))
    try catalog.close()
  }

  @Test func `rights cover the given apps, and managing one app does not include the server`() {
    let token = AccessToken(
      id: 1, name: "t", scopes: [.manage], app: AppID(1), created: Timestamp(millisecondsSince1970: 0))
    #expect(token.rights.allows(.edit, app: AppID(1)) && token.rights.allows(.read))
    #expect(!token.rights.allows(.edit, app: AppID(2)) && !token.rights.allows(.administer))
  }
}
