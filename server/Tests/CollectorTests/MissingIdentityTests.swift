import Testing

@testable import Collector

/// Tests the stand-in for a certificate in a build without TLS.
@Suite struct MissingIdentityTests {
  @Test func `a program without TLS refuses a certificate and says how to get one with TLS`() throws {
    let error = #expect(throws: CollectorError.self) {
      try MissingIdentity(TLSFiles(certificate: "/etc/tern.pem", key: "/etc/tern.key"))
    }
    #expect(error?.code == .cannotStart)
    #expect(error?.message.contains("/etc/tern.pem") == true && error?.message.contains("without TLS") == true)
  }
}
