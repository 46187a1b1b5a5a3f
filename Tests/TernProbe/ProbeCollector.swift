import Foundation
import ProbeSupport
import Tern
import TernBase
import TernEvents
import TernTestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A collector on a real socket; it answers like `ScriptedTransport` and prints each request and its time.
///
/// Options: `--address IP` (127.0.0.1 by default), `--hang` to answer no request, `--hang-on NAME` to answer no request
/// with that event. It prints `port N` when it listens, then `received NAME NANOSECONDS` for each event and `request
/// NANOSECONDS` for each request.
struct ProbeCollector {
  private let address: String
  private let brain: ScriptedTransport

  init(_ options: ProbeOptions) throws {
    address = options["address"] ?? "127.0.0.1"
    let (isDead, name) = (options["hang"] != nil, options["hang-on"])
    brain = ScriptedTransport { request in
      isDead || request.events.contains { $0.name == name } ? .hold : .accept
    }
  }

  func run() async throws {
    let (listener, port) = listen()
    Thread.detachNewThread { [brain] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { fatalError("accept: \(errno)") }
        Thread.detachNewThread { serve(connection, brain) }
      }
    }
    say("port \(port)")
    for await _ in inputLines() {}
  }

  private func listen() -> (descriptor: Int32, port: UInt16) {
    #if canImport(Darwin)
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    guard inet_pton(AF_INET, address, &name.sin_addr) == 1 else { fatalError("Invalid address: \(address)") }
    let isReady = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && startListening(descriptor) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isReady else { fatalError("Cannot listen on \(address): \(errno)") }
    return (descriptor, UInt16(bigEndian: name.sin_port))
  }
}

// A free function, because inside the type its method of the same name hides the system's.
private func startListening(_ descriptor: Int32) -> Int32 { listen(descriptor, 16) }

/// Answers the requests of one connection in order.
private func serve(_ connection: Int32, _ brain: ScriptedTransport) {
  defer { close(connection) }
  var rest: [UInt8] = []
  while let request = readRequest(connection, &rest) {
    let arrival = monotonicNanoseconds()
    say("request \(arrival)")
    guard case .response(let response) = answer(request, brain) else { return }
    for event in brain.requests.last?.events ?? [] { say("received \(event.name) \(arrival)") }
    let head = "HTTP/1.1 \(response.status) OK\r\nContent-Length: \(response.body.count)\r\n\r\n"
    let bytes = Array(head.utf8) + response.body
    #if canImport(Darwin)
      if send(connection, bytes, bytes.count, 0) < bytes.count { return }
    #else
      if send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < bytes.count { return }
    #endif
  }
}

/// Reads a head and the number of body bytes that it declares; keeps the rest.
private func readRequest(_ connection: Int32, _ bytes: inout [UInt8]) -> TransportRequest? {
  var chunk = [UInt8](repeating: 0, count: 64 << 10)
  while true {
    if let end = Data(bytes).range(of: Data("\r\n\r\n".utf8)) {
      let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      let headers = Dictionary(
        head.components(separatedBy: "\r\n").dropFirst().compactMap { line -> (String, String)? in
          let parts = line.split(separator: ":", maxSplits: 1)
          return parts.count == 2 ? (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)) : nil
        }
      ) { first, _ in first }
      let length = headers["Content-Length"].flatMap { Int($0) } ?? 0
      if bytes.count >= end.upperBound + length {
        let body = Array(bytes[end.upperBound..<end.upperBound + length])
        bytes.removeFirst(end.upperBound + length)
        return TransportRequest(url: URL(fileURLWithPath: "/"), headers: headers, body: body)
      }
    }
    let count = read(connection, &chunk, chunk.count)
    if count <= 0 { return nil }
    bytes += chunk[..<count]
  }
}

/// Gets the scripted response, on a thread that may block.
private func answer(_ request: TransportRequest, _ brain: ScriptedTransport) -> TransportResult? {
  let result = Locked<TransportResult?>(nil)
  let done = DispatchSemaphore(value: 0)
  Task {
    let answer = await brain.send(request)
    result.withLock { $0 = answer }
    done.signal()
  }
  done.wait()
  return result.withLock { $0 }
}
