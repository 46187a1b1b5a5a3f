import BenchSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The sending loop.
struct Load {
  private let port: UInt16
  private let connectionCount: Int
  private let nanoseconds: Int64
  private let maximumRequests: Int
  private let interval: Int64
  private let eventsPerBatch: Int
  private let installs: Int
  private let days: Int
  private var templates: [BatchTemplate]
  private var hits: HitTemplate?
  private var compressed: [[UInt8]] = []
  private var readers: Readers
  private var generator: SmallGenerator

  init(_ options: Options) {
    port = UInt16(options.number("port", default: 8787))
    connectionCount = options.number("connections", default: 32)
    nanoseconds = Int64(options.number("seconds", default: 10)) * 1_000_000_000
    let trackingID = options.text("tracking-id", default: "")
    if !trackingID.isEmpty { hits = HitTemplate(host: "127.0.0.1", trackingID: trackingID) }
    let batch = options.number("batch", default: 50)
    eventsPerBatch = hits == nil ? batch : HitTemplate.hitsPerBatch
    let events = options.number("events", default: 0)
    maximumRequests = events > 0 ? (events + eventsPerBatch - 1) / eventsPerBatch : .max
    let rate = options.number("rate", default: 0)
    interval = rate > 0 ? Int64(eventsPerBatch) * 1_000_000_000 / Int64(rate) : 0
    readers = Readers(
      count: options.number("readers", default: 0), port: port,
      paths: options.text("reports", default: "").split(separator: ",").map(String.init),
      token: options.text("token", default: ""))
    installs = options.number("installs", default: 200_000)
    days = options.number("days", default: 0)
    generator = SmallGenerator(state: UInt64(options.number("seed", default: Int(wallMilliseconds()))))
    let host = "127.0.0.1:\(port)"
    let secret = options.text("app-secret", default: "")
    templates = (0..<(batch > 50 ? 16 : 64)).map {
      BatchTemplate(number: $0, events: batch, host: host, appSecret: secret)
    }
    if options.flag("gzip") { compressed = precompress(options.number("bodies", default: 20_000)) }
  }

  /// Compressed bodies cannot be patched, so each is created beforehand and sent once.
  private mutating func precompress(_ count: Int) -> [[UInt8]] {
    (0..<count).map { number in
      let (bytes, bodyStart) = nextTemplate(number, of: count)
      let body = gzipped(bytes[bodyStart...])
      let lines = String(decoding: bytes[..<bodyStart], as: UTF8.self).split(separator: "\r\n")
        .filter { !$0.hasPrefix("Content-Length") }
      let head = (lines + ["Content-Encoding: gzip", "Content-Length: \(body.count)"]).joined(separator: "\r\n")
      return Array((head + "\r\n\r\n").utf8) + body
    }
  }

  /// Returns a request whose events happened just before now; those of earlier ones of so many up to ``days`` before.
  private mutating func nextTemplate(_ number: Int, of count: Int) -> (bytes: [UInt8], bodyStart: Int) {
    let index = Int(truncatingIfNeeded: generator.next() % UInt64(templates.count))
    let before = Double(days) * 86_400_000 * (1 - Double(number) / Double(count))
    templates[index].renew(now: wallMilliseconds() - Int64(before), installs: installs, generator: &generator)
    return (templates[index].bytes, templates[index].bodyStart)
  }

  private mutating func nextRequest(_ number: Int) -> [UInt8]? {
    if let hits { return hits.request(number, generator: &generator) }
    if compressed.isEmpty { return nextTemplate(number, of: maximumRequests).bytes }
    return number < compressed.count ? compressed[number] : nil
  }

  mutating func run() -> LoadResult {
    var result = LoadResult()
    var connections = (0..<connectionCount).compactMap { _ in Connection(port: port) }
    guard connections.count == connectionCount else {
      result.failed = 1
      return result
    }
    var samples = Samples(capacity: 1 << 20)
    let began = monotonicNanoseconds()
    var started = 0
    var now = began
    var polls = (connections + readers.connections).map {
      pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
    }
    while true {
      now = monotonicNanoseconds()
      var isSending = now - began < nanoseconds && started < maximumRequests
      for index in connections.indices where isSending && !connections[index].isBusy {
        let due = interval > 0 ? began + Int64(started) * interval : now
        if due > now { break }
        guard let request = nextRequest(started) else {
          isSending = false
          break
        }
        connections[index].start(request, began: due)
        started += 1
        isSending = started < maximumRequests
        advance(&connections[index], &result, &samples)
      }
      if isSending { readers.ask() }
      let busy = connections.contains { $0.isBusy }
      if !busy && (!isSending || !compressed.isEmpty && started >= compressed.count) { break }
      wait(&polls, &connections, for: interval > 0 && isSending ? 1 : 100)
      for index in connections.indices where polls[index].revents != 0 {
        advance(&connections[index], &result, &samples)
      }
      for index in readers.connections.indices where polls[connections.count + index].revents != 0 {
        readers.proceed(index)
      }
      if result.failed + readers.failed > 0 { break }
    }
    result.failed += readers.failed
    result.reports = readers.answered
    result.refusedReports = readers.refused
    result.reportQuantiles = readers.quantiles
    result.seconds = Double(monotonicNanoseconds() - began) / 1e9
    result.quantiles = samples.quantiles([0.5, 0.99, 1])
    return result
  }

  private func wait(_ polls: inout [pollfd], _ connections: inout [Connection], for milliseconds: Int32) {
    for index in connections.indices {
      polls[index].events = Int16(connections[index].wantsToWrite ? POLLIN | POLLOUT : POLLIN)
      polls[index].revents = 0
    }
    _ = poll(&polls, nfds_t(polls.count), milliseconds)
  }

  private func advance(_ connection: inout Connection, _ result: inout LoadResult, _ samples: inout Samples) {
    switch connection.proceed() {
    case .pending: break
    case .failed: result.failed += 1
    case .answered(let status):
      samples.add(monotonicNanoseconds() - connection.began)
      result.requests += 1
      if status == 200 { result.events += eventsPerBatch } else { result.refused += 1 }
    }
  }
}

/// SplitMix64.
struct SmallGenerator: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
