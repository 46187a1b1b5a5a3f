import Foundation
import Testing

@testable import AppCatalog
@testable import Warehouse

/// Tests which new passwords are refused.
@Suite struct PasswordRulesTests {
  private func objection(_ password: String, name: String = "ann", _ refused: String = "") -> String? {
    PasswordRules.objection(to: password, of: name, refused: RefusedPasswords(Array(refused.utf8)))
  }

  @Test(arguments: [
    "aaaaaaaaaa", "ABABABABAB", "abcabcabca", "12341234123", "1234567890", "01234567890123", "9876543210", "abcdefghij",
    "ZYXWVUTSRQ",
  ])
  func `repeated and counted-up passwords are refused`(password: String) {
    #expect(objection(password)?.contains("is a repetition or a sequence") == true)
  }

  @Test(arguments: [
    "correct horse battery", "a long password for tests", "aaaaaaaaab", "1234567891", "abcdeabcde", "1357924680",
    "0123456799",
  ])
  func `other passwords of ten characters are not`(password: String) { #expect(objection(password) == nil) }

  @Test func `a password with the user's name is refused, unless the name is short`() {
    for (password, name) in [
      ("xx-Annette-1", "annette"), ("my ANNETTE pw", "Annette"), ("xx-annette-1", "annette@example.org"),
      ("annette@example.org", "annette@example.org"), ("caf\u{E9}-lights-1", "cafe\u{301}"),
    ] {
      #expect(objection(password, name: name)?.contains("contains your name") == true, "\(password)")
    }
    #expect(objection("joanne and more", name: "ann") == nil)
    #expect(objection("something else", name: "@example.org") == nil)
  }

  @Test func `a listed password is refused, as text and as hash`() {
    // The hash of "correct horse battery staple".
    let hash = "abf7aad6438836dbe526aa231abde2d0eef74d42"
    for list in [
      "other password\ncorrect horse battery staple\nlast password", "correct horse battery staple\r\n", hash,
      "\(hash.uppercased()):114\n0000000000000000000000000000000000000000:3", "\n\n\(hash)\n",
    ] {
      #expect(objection("correct horse battery staple", list)?.contains("list of known passwords") == true, "\(list)")
      #expect(objection("Correct Horse Battery Staple", list)?.contains("list of known passwords") == true, "\(list)")
      #expect(objection("correct horse battery stapler", list) == nil)
    }
    #expect(
      objection("correct horse battery staple", "\(hash)0\n\(hash):x\n\(hash) \n") == nil, "passwords, not hashes")
  }

  @Test func `a file that is missing or too large is refused, and one at the limit is not`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/list"
    #expect(throws: WarehouseError.self) { try RefusedPasswords(path: path) }
    try Data("short\n".utf8).write(to: URL(filePath: path))
    #expect(throws: WarehouseError.self, "it would refuse nothing") { try RefusedPasswords(path: path) }
    for (bytes, isTaken) in [(1 << 20, true), ((1 << 20) + 1, false)] {
      try Data(repeating: UInt8(ascii: "x"), count: bytes).write(to: URL(filePath: path))
      if isTaken {
        #expect(try RefusedPasswords(path: path, maximumBytes: 1 << 20).count == 1)
      } else {
        let refusal = #expect(throws: WarehouseError.self) { try RefusedPasswords(path: path, maximumBytes: 1 << 20) }
        #expect(refusal?.message.contains("larger than 1 MiB") == true)
      }
    }
  }

  @Test func `a catalog refuses what its list has, and keeps the password before`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try Catalog(
      directory: directory.path, passwordCost: PasswordCost(exponent: 4),
      refusedPasswords: RefusedPasswords(Array("sunshine and rain".utf8)))
    try catalog.setPassword("correct horse battery", of: 1, keeping: nil)
    for password in ["sunshine and rain", "the owner's word", "1234567890", "short"] {
      #expect(throws: WarehouseError.self) { try catalog.setPassword(password, of: 1, keeping: nil) }
    }
    #expect(try catalog.account(name: "owner", password: "correct horse battery") != nil)
    #expect(throws: WarehouseError.self) { try catalog.setPassword("correct horse battery", of: 77, keeping: nil) }
  }
}
