/// Work on stored rows. Only the process that holds the warehouse's lock can do it: a running server, or else a command.
package struct DataJob: Sendable, Hashable {
  /// The kinds of work.
  package enum Kind: String, Sendable {
    /// The import of a file, whose path is the argument.
    case importFile = "import"
    /// The import of a file or folder of App Center's continuous export, whose path is the argument.
    case importAppCenter = "import app center"
    /// The deletion of the app with everything.
    case deleteApp = "delete app"
    /// The deletion of the stored days of a view, whose number is the argument.
    case deleteView = "delete view"
    /// The deletion of a person, whose ``PersonDeletionRequest`` is the argument.
    case deletePerson = "delete person"
    /// The counting of all days of the app again after a change of its time zone, which is the argument.
    case changeZone = "change zone"
    /// The leaving of old rows of all apps for the cluster. The argument is the time before which they were received, in
    /// milliseconds since 1970; there is no app.
    case retireRows = "retire rows"
    /// The removal of the app's rows before a day, which is the argument.
    case removeRows = "remove rows"
  }

  /// The progress of a job, or the reason that it waits.
  package struct Progress: Sendable, Hashable {
    /// The progress in words.
    package var text: String
    /// The obstacle that the operator must remove before the work goes on.
    package var obstacle: Obstacle?

    /// Creates a note of progress.
    package init(text: String, obstacle: Obstacle? = nil) {
      self.text = text
      self.obstacle = obstacle
    }
  }

  /// The obstacles that the operator must remove. The raw values are stored.
  package enum Obstacle: Int64, Sendable {
    /// The disk is full. All work waits.
    case disk = 1
    /// Rows that the work concerns can't be read. Other work goes on.
    case damage = 2
  }

  /// The result of finished work.
  package struct Result: Sendable, Hashable {
    /// True if the work failed.
    package var isFailed: Bool
    /// The result in words, or the reason of the failure.
    package var message: String

    /// Creates a result.
    package init(isFailed: Bool = false, message: String) {
      self.isFailed = isFailed
      self.message = message
    }
  }

  /// The number of the job.
  package var id: Int64
  /// The kind of work.
  package var kind: Kind
  /// The app whose data is concerned.
  package var app: AppID
  /// Further arguments of the work.
  package var argument: String

  package init(id: Int64, kind: Kind, app: AppID, argument: String) {
    self.id = id
    self.kind = kind
    self.app = app
    self.argument = argument
  }
}
