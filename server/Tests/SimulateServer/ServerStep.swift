import Ingest
import TernEvents
import Warehouse
import WarehouseContract

/// Something that a server is asked to do, and confirms when it is done.
enum ServerStep: Sendable {
  /// Creates apps, each with a view.
  case begin(apps: [String])
  case commit(IncomingBatch, app: AppID)
  /// Events of an app that is created for them if it is missing.
  case commitToApp(named: String, IncomingBatch)
  case flush
  case deletePerson(Person, app: AppID)
  case deleteApp(named: String)
  case changeZone(AppID, String)
  case removeRows(AppID, before: Day)
  /// Seals the days of views that are final at a time.
  case seal(Timestamp)
  case deleteView(app: AppID)
  case backup(Int)
  /// Adds a file with symbols.
  case addSymbols(Int, app: AppID)
  /// Imports what an app has once more, as if it were from another server.
  case importRows(Int, app: AppID)
  /// Sets the events aside that happened at a time, if there are any.
  case setAside(Timestamp, app: AppID)
  /// Does something with one app while events of another one arrive.
  indirect case together(ServerStep, IncomingBatch, app: AppID)
  /// Closes everything and opens it again.
  case restart
  /// Closes everything, makes anew what is derived from rows, and opens it again.
  case rebuild

  var name: String {
    switch self {
    case .begin: "the first start"
    case .commit(let batch, let app): "\(batch.events.count) events of app \(app)"
    case .commitToApp(let name, let batch): "\(batch.events.count) events of \(name)"
    case .flush: "counting"
    case .deletePerson(let person, let app): "the deletion of \(person) in app \(app)"
    case .deleteApp(let name): "the deletion of \(name)"
    case .changeZone(let app, let zone): "time zone \(zone) for app \(app)"
    case .removeRows(let app, let day): "removing rows of app \(app) before \(day)"
    case .seal(let time): "sealing days at \(time)"
    case .deleteView(let app): "the deletion of app \(app)'s view"
    case .backup(let number): "backup \(number)"
    case .addSymbols(let number, let app): "file \(number) with symbols for app \(app)"
    case .importRows(let number, let app): "import \(number) into app \(app)"
    case .setAside(let time, let app): "setting aside what happened at \(time) in app \(app)"
    case .together(let step, let batch, let app):
      "\(step.name), while \(batch.events.count) events of app \(app) arrive"
    case .restart: "a restart"
    case .rebuild: "a rebuild"
    }
  }
}

extension ServerStep {
  var endsServer: Bool {
    switch self {
    case .restart, .rebuild: true
    default: false
    }
  }

  /// The app that is worked on while others may send events; `nil` for what holds the whole server, or copies it.
  fileprivate var worksOn: AppID? {
    switch self {
    case .deletePerson(_, let app), .changeZone(let app, _), .removeRows(let app, _), .deleteView(let app),
      .addSymbols(_, let app), .importRows(_, let app), .setAside(_, let app):
      app
    default: nil
    }
  }
}

/// The steps of one life, from a seed.
struct ServerSteps {
  private static let zones = ["America/Los_Angeles", "Asia/Tokyo", "Europe/Berlin", "Pacific/Kiritimati"]
  private static let firstDay = 20_500
  /// All days on which something happens.
  static let days = Day(number: firstDay - 10)...Day(number: firstDay + 20 + absence)
  /// The days for which nothing arrives at most once in a life, so that keys expire.
  private static let absence = 60
  /// The age of events from which on they are refused, which keys outlive by a month.
  static let recognizedAge = Duration.seconds(86_400 * 20)

  private var generator: FastGenerator
  private var traffic: RandomTraffic
  /// The number of steps that make a file.
  private var files = 0
  /// The apps and times of events so far.
  private var sent: [(app: AppID, time: Timestamp)] = []
  private var keys: Int64 = 0
  private var wasAbsent = false
  /// A step that was made already.
  private var made: ServerStep?
  /// The number of apps that were deleted: the third one has another name each time.
  private var deletedApps: Int64 = 0
  private let apps = [AppID(1), AppID(2)]

  init(seed: UInt64) {
    generator = FastGenerator(seed: seed)
    traffic = RandomTraffic(
      seed: seed, apps: apps + [AppID(3)],
      center: Timestamp(millisecondsSince1970: Int64(Self.firstDay + 5) * 86_400_000),
      days: 10, isOrdered: true)
  }

  mutating func steps(_ count: Int) -> [ServerStep] {
    [.begin(apps: ["One", "Two"])] + (1..<count).map { _ in next() }
  }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  private mutating func next() -> ServerStep {
    if let step = made {
      made = nil
      return step
    }
    let step = single()
    guard let app = step.worksOn, below(2) == 0 else { return step }
    let events = commit()
    guard case .commit(let batch, let other) = events, other != app else {
      made = events
      return step
    }
    return .together(step, batch, app: other)
  }

  private mutating func single() -> ServerStep {
    let app = apps[below(2)]
    switch below(28) {
    case 0: return below(4) == 0 ? .rebuild : .restart
    case 1, 2: return .flush
    case 3:
      let number = below(40)
      let install = number % 3 == 0 ? "client \(number)" : "00000000-0000-4000-8000-0000000000\(number + 10)"
      return .deletePerson(below(2) == 0 ? .user("user \(below(9))") : .install(install), app: app)
    case 4: return .changeZone(app, Self.zones[below(Self.zones.count)])
    case 5: return .removeRows(app, before: Day(number: Self.firstDay + below(9)))
    case 6:
      files += 1
      return .backup(files)
    case 7: return .seal(traffic.now - .seconds(3_600 * below(30)))
    case 8:
      guard below(3) == 0 else { return .seal(traffic.now) }
      return .deleteView(app: app)
    case 9:
      let name = thirdApp
      deletedApps += 1
      return .deleteApp(named: name)
    case 10:
      files += 1
      return .addSymbols(files, app: app)
    case 11:
      files += 1
      return below(3) == 0 ? .importRows(files, app: app) : .addSymbols(files, app: app)
    case 12, 13:
      guard !sent.isEmpty else { return commit() }
      let event = sent[below(sent.count)]
      return .setAside(event.time, app: event.app)
    default: return commit()
    }
  }

  private var thirdApp: String { "Three \(deletedApps)" }

  private mutating func commit() -> ServerStep {
    if !wasAbsent, below(20) == 0 {
      traffic.pause(.seconds(86_400 * Self.absence))
      wasAbsent = true
    }
    var (batch, app) = traffic.next()
    for index in batch.events.indices {
      // Without a key, an event that is sent again counts again.
      if batch.events[index].duplicateKey == nil {
        keys += 1
        batch.events[index].duplicateKey = DuplicateKey(
          milliseconds: batch.events[index].time.millisecondsSince1970, hash: keys &* 0x2545_F491_4F6C_DD1D)
      }
      // Keys of an app that is gone must not meet those of the next one.
      if app == AppID(3) { batch.events[index].duplicateKey?.hash ^= deletedApps << 40 }
    }
    guard app != AppID(3) else { return .commitToApp(named: thirdApp, batch) }
    if let event = batch.events.last { sent.append((app, event.time)) }
    return .commit(batch, app: app)
  }
}
