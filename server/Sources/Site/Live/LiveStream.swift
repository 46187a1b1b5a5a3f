import Answering
import HTTP
import HTTPTypes
import Hummingbird
import NIOCore
import Reports
import ServiceLifecycle
import Threads
import Warehouse

/// A stream of server-sent events: rows newer than the last one on the page, oldest first.
struct LiveStream: Sendable {
  let app: AppID
  let reports: ReportScheduler
  let source: any MetricsStore
  let hub: LiveHub
  let place: LiveHub.Place
  /// The connection: when the client leaves it, the place is free at once.
  let channel: any Channel
  /// Returns false once the reader has logged out or lost the right to read the events.
  let isStillAllowed: @Sendable () -> Bool
  /// The rows that the page shows.
  var filter = RowFilter([])
  /// The minimum time between two reads of the warehouse.
  var interval = Duration.milliseconds(250)

  /// The maximum number of rows sent at once. Older rows are skipped, because a page shows no more.
  private static let maximumRows = 200

  /// An event, which the page's script sees, unlike a comment: without one for some time it reconnects.
  private static let heartbeat = "event: alive\ndata: alive\n\n"

  /// Returns the response with the stream.
  ///
  /// - Parameter after: The number of the last row on the page; `nil` for new rows only.
  func response(after: Int64?) -> Response {
    let headers: HTTPFields = [
      .contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no",
    ]
    // The closure retains this value, and with it the place, for the lifetime of the response.
    let body = ResponseBody { writer in
      try await send(after: after, to: &writer)
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: headers, body: body)
  }

  @concurrent private func send(after: Int64?, to writer: inout any ResponseBodyWriter) async throws {
    let (wakeUps, finish) = hub.wakeUps(of: app)
    channel.triggerUserOutboundEvent(ConnectionGuard.Departure { finish() }, promise: nil)
    defer { finish() }
    var last = after
    // Read before the stream opens: everything that is stored after the reader sees it open must be sent.
    if last == nil { last = try await sendRows(after: nil, to: &writer) }
    try await writer.write(ByteBuffer(string: "retry: 2000\n\n\(Self.heartbeat)"))
    // The rows that the page missed.
    last = try await sendRows(after: last, to: &writer)
    try await withGracefulShutdownHandler {
      for await _ in wakeUps {
        guard isStillAllowed() else { return }
        let newest = try await sendRows(after: last, to: &writer)
        if newest == last { try await writer.write(ByteBuffer(string: Self.heartbeat)) }
        last = newest
        try await Task.sleep(for: interval)
      }
    } onGracefulShutdown: {
      finish()
    }
  }

  /// Sends the rows after `last` and returns the number of the newest.
  @concurrent private func sendRows(
    after last: Int64?, to writer: inout any ResponseBodyWriter
  ) async throws -> Int64? {
    let rows = try await reports.runNow { [source, app] in
      try await source.recent(app: app, limit: last == nil ? 1 : Self.maximumRows)
    }
    guard let newest = rows.first?.id else { return last ?? 0 }
    guard let last else { return newest }
    var text = ByteBuffer()
    for row in rows.reversed() where row.id > last && filter.passes(row) {
      text.writeString("id: \(row.id)\ndata: ")
      text.writeBytes(try LiveRows.json(row))
      text.writeString("\n\n")
    }
    if text.readableBytes > 0 { try await writer.write(text) }
    return max(newest, last)
  }
}
