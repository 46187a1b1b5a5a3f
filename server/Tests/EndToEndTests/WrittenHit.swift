import Foundation

/// A hit as written by a client without a library.
struct WrittenHit {
  let hit: SentHit
  private let number: Int
  private let queueTime: String?

  /// - Parameters:
  ///   - number: Identifies the hit; the same when it is sent again.
  ///   - queueTime: The queue time; `nil` to compute it.
  init(_ hit: SentHit, number: Int, queueTime: String? = nil) {
    self.hit = hit
    self.number = number
    self.queueTime = queueTime
  }

  /// The hit as sent at a given time.
  func payload(_ trackingID: String, at now: Date) -> String {
    let waited = queueTime ?? String(Int64((now.timeIntervalSince(hit.time) * 1_000).rounded()))
    var pairs = [("v", "1"), ("tid", trackingID), ("cid", hit.client)]
    pairs += hit.parameters.sorted { $0.key < $1.key }
    pairs += [("ht", String(Int64(hit.time.timeIntervalSince1970 * 1_000))), ("qt", waited), ("z", String(number))]
    return pairs.map { name, value in
      "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
    }.joined(separator: "&")
  }

  /// Random hits of all types over a day and a half, by three clients.
  ///
  /// - Parameter times: Returns the time some quarters of an hour ago, some minutes into that quarter.
  static func random(seed: UInt64, times: (_ quarters: Int, _ minutes: Double) -> Date) -> [WrittenHit] {
    var generator = SplitMix(state: seed)
    var hits: [WrittenHit] = []
    while hits.count < 80 {
      let time = times(.random(in: 1...140, using: &generator), .random(in: 3...12, using: &generator))
      let client = "client-\(Int.random(in: 0..<3, using: &generator))"
      // Seconds may pass in transit: the order of hits and the ends of sessions must not depend on them.
      let isClear = hits.allSatisfy { other in
        let gap = abs(other.hit.time.timeIntervalSince(time))
        return other.hit.client != client || gap > 60 && abs(gap - 1_800) > 60
      }
      guard isClear else { continue }
      let parameters = parameters(number: hits.count, using: &generator)
      hits.append(
        WrittenHit(SentHit(time: time, client: client, parameters: parameters), number: hits.count))
    }
    return hits
  }

  private static func parameters(number: Int, using generator: inout SplitMix) -> [String: String] {
    let name = ["Ä & +", "B", "C"].randomElement(using: &generator) ?? ""
    var parameters: [String: String]
    switch Int.random(in: 0..<9, using: &generator) {
    case 0...2: parameters = ["t": "screenview", "cd": name]
    case 3...4: parameters = ["t": "event", "ec": "Category", "ea": name, "ev": "\(number)"]
    case 5: parameters = ["t": "transaction", "ti": "R\(number)", "tr": "\(number).25", "tt": "0.5"]
    case 6: parameters = ["t": "item", "ti": "R\(number)", "in": name, "ip": "1.000001", "iq": "\(number)"]
    case 7: parameters = ["t": "exception", "exd": name]
    default: parameters = ["t": "timing", "utc": "Loading", "utv": name, "utt": "\(number)"]
    }
    if parameters["t"] == "exception", Bool.random(using: &generator) { parameters["exf"] = "0" }
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: parameters["sc"] = "start"
    case 1: parameters["sc"] = "end"
    default: break
    }
    return parameters
  }
}

private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
