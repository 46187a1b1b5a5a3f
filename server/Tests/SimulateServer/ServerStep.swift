import Ingest
import TernEvents
import Warehouse
import WarehouseContract

/// Something that a server is asked to do, and confirms when it is done.
enum ServerStep: Sendable {
  case begin(apps: [String])
  case commit(IncomingBatch, app: AppID)
  case flush
  case deletePerson(Person, app: AppID)
  case changeZone(AppID, String)
  case removeRows(AppID, before: Day)
  case backup(Int)
  /// Closes everything and opens it again.
  case restart

  var name: String {
    switch self {
    case .begin: "the first start"
    case .commit(let batch, let app): "\(batch.events.count) events of app \(app)"
    case .flush: "counting"
    case .deletePerson(let person, let app): "the deletion of \(person) in app \(app)"
    case .changeZone(let app, let zone): "time zone \(zone) for app \(app)"
    case .removeRows(let app, let day): "removing rows of app \(app) before \(day)"
    case .backup(let number): "backup \(number)"
    case .restart: "a restart"
    }
  }
}

/// The steps of one life, from a seed.
struct ServerSteps {
  private static let zones = ["America/Los_Angeles", "Asia/Tokyo", "Europe/Berlin", "Pacific/Kiritimati"]
  private static let firstDay = 20_500
  /// All days on which something happens.
  static let days = Day(number: firstDay - 10)...Day(number: firstDay + 20)

  private var generator: FastGenerator
  private var traffic: RandomTraffic
  private var backups = 0
  private var number: Int64 = 0
  private let apps = [AppID(1), AppID(2)]

  init(seed: UInt64) {
    generator = FastGenerator(seed: seed)
    traffic = RandomTraffic(
      seed: seed, apps: apps, center: Timestamp(millisecondsSince1970: Int64(Self.firstDay + 5) * 86_400_000),
      days: 10, isOrdered: true)
  }

  mutating func steps(_ count: Int) -> [ServerStep] {
    [.begin(apps: ["One", "Two"])] + (1..<count).map { _ in next() }
  }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  private mutating func next() -> ServerStep {
    let app = apps[below(2)]
    switch below(20) {
    case 0: return .restart
    case 1, 2: return .flush
    case 3:
      let number = below(40)
      let install = number % 3 == 0 ? "client \(number)" : "00000000-0000-4000-8000-0000000000\(number + 10)"
      return .deletePerson(below(2) == 0 ? .user("user \(below(9))") : .install(install), app: app)
    case 4: return .changeZone(app, Self.zones[below(Self.zones.count)])
    case 5: return .removeRows(app, before: Day(number: Self.firstDay + below(9)))
    case 6:
      backups += 1
      return .backup(backups)
    default:
      var (batch, app) = traffic.next()
      // Without a key, an event that is sent again counts again.
      for index in batch.events.indices where batch.events[index].duplicateKey == nil {
        number += 1
        batch.events[index].duplicateKey = DuplicateKey(
          milliseconds: batch.events[index].time.millisecondsSince1970, hash: number &* 0x2545_F491_4F6C_DD1D)
      }
      return .commit(batch, app: app)
    }
  }
}
