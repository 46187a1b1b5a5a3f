# Sends events with a client of another system, as an app would: `other_clients.rb CLIENT ADDRESS KEY COUNT PAUSE`.
#
# As other_clients.py, with the Ruby packages of Debian. Prints the numbers of the events of which the app knows that they were lost.

require "json"
require "uri"

USER = "user-7"

def properties(number)
  { "n" => number, "label" => "label-#{number} ä\"&=,", "price" => number * 0.25, "even" => number.even? }
end

# The same type as in Python.
class ValueError < StandardError
end

def raised(number)
  raise ValueError, "number #{number}"
rescue ValueError => e
  e
end

def dsn(address, key)
  "#{address.sub("//", "//#{key}@")}/7"
end

class SentryClient
  def initialize(address, key)
    require "sentry-ruby"
    Sentry.init do |config|
      config.dsn = dsn(address, key)
      config.release = "shop@1.2.0+44"
      config.logger = Logger.new(File::NULL)
      config.breadcrumbs_logger = []
      # At once, in the app's thread: its queue has room for 30 events, and drops the rest.
      config.background_worker_threads = 0
    end
  end

  def send(number)
    Sentry.with_scope do |scope|
      scope.set_user(id: USER)
      scope.set_extras(properties(number))
      Sentry.capture_exception(raised(number))
    end
  end

  def finish
    []
  end
end

class RavenClient
  def initialize(address, key)
    require "raven/base"
    Raven.configure do |config|
      config.server = dsn(address, key)
      config.release = "shop@1.2.0+44"
      config.logger = Logger.new(File::NULL)
      config.silence_ready = true
    end
  end

  def send(number)
    Raven.capture_exception(raised(number), user: { id: USER }, extra: properties(number))
  end

  def finish
    []
  end
end

class SnowplowClient
  def initialize(address, key)
    require "snowplow-tracker"
    uri = URI(address)
    @lost = []
    @number = 0
    # One event in a request, so that the program learns which was lost.
    @emitter = SnowplowTracker::Emitter.new(
      uri.host,
      { protocol: "http", port: uri.port, method: "post", buffer_size: 1, on_failure: ->(_, _) { @lost << @number } }
    )
    subject = SnowplowTracker::Subject.new
    subject.set_user_id(USER)
    @tracker = SnowplowTracker::Tracker.new(@emitter, subject, nil, key)
    SnowplowTracker::LOGGER.level = Logger::FATAL
  end

  def send(number)
    @number = number
    @tracker.track_struct_event("Video", "Play", properties(number)["label"], nil, number)
  end

  def finish
    @lost
  end
end

name, address, key, count, pause = ARGV
client = { "sentry-ruby" => SentryClient, "raven-ruby" => RavenClient, "snowplow-ruby" => SnowplowClient }.fetch(name).new(address, key)
lost = []
count.to_i.times do |number|
  begin
    client.send(number)
  rescue StandardError => e
    lost << number
    warn "#{number}: #{e.class}: #{e.message[0, 200]}"
  end
  sleep pause.to_f
end
puts (lost + client.finish).uniq.to_json
