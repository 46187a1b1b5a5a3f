import Foundation
import Tern

// Uses the client, so that it is actually linked; without a collector, nothing is sent.
let directory = FileManager.default.temporaryDirectory.appending(path: "tern-linkage-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: directory) }
var configuration = TernClient.Configuration(key: "linkage", collector: URL(filePath: "/"))
if let collector = URL(string: "http://127.0.0.1:9") { configuration.collector = collector }
configuration.queueDirectory = directory
configuration.startsPaused = true
let tern = try TernClient(configuration)
tern.track("Linked", ["By": "Scripts/check"])
print(tern.status.queued == 2 ? "linked" : "an event and a session should be queued: \(tern.status)")
await tern.shutdown()
