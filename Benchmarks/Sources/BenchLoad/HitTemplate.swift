/// Requests of the Measurement Protocol with 20 hits each, varied enough to make a view count something.
struct HitTemplate {
  static let hitsPerBatch = 20

  let host: String
  let trackingID: String

  /// Returns the next request; `number` makes its hits unique.
  func request(_ number: Int, generator: inout some RandomNumberGenerator) -> [UInt8] {
    var body = ""
    for hit in 0..<Self.hitsPerBatch {
      func draw(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
      body += "v=1&tid=\(trackingID)&cid=c\(draw(20_000))&t=event&ec=Category\(draw(20))&ea=Action\(draw(300))"
      body += "&el=Label\(draw(5_000))&cd=Screen\(draw(100))&z=\(number)-\(hit)&qt=\(draw(3_600_000))\n"
    }
    return Array(
      "POST /batch HTTP/1.1\r\nHost: \(host)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
  }
}
