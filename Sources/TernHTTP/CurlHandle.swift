import TernBase

#if canImport(CTernCurl)
  public import CTernCurl

  /// An easy handle of libcurl, with the memory that its options point to.
  ///
  /// It remembers the first option that could not be set, so that a caller checks once, when it performs.
  public final class CurlHandle {
    /// The handle for libcurl's own functions.
    public let easy: UnsafeMutableRawPointer
    /// The first error of an option.
    public private(set) var code = CURLE_OK
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    /// Where libcurl describes an error.
    private let explanation: UnsafeMutablePointer<CChar>

    /// Creates a handle; `nil` if libcurl cannot be used.
    public init?() {
      Self.initializeOnce
      guard let easy = curl_easy_init() else { return nil }
      self.easy = easy
      explanation = .allocate(capacity: Int(CURL_ERROR_SIZE))
      explanation.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
      setDefaults()
    }

    deinit {
      curl_easy_cleanup(easy)
      freeLists()
      explanation.deallocate()
    }

    private static let initializeOnce: Void = { _ = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) }()

    /// Removes all options of the previous request.
    public func reset() {
      curl_easy_reset(easy)
      freeLists()
      explanation.pointee = 0
      code = CURLE_OK
      setDefaults()
    }

    private func setDefaults() {
      set { tern_curl_set_explanation(easy, explanation) }
      // Signals belong to the app; without this, name lookups may use SIGALRM.
      set(CURLOPT_NOSIGNAL, 1)
      set(CURLOPT_FOLLOWLOCATION, 0)
    }

    private func freeLists() {
      for list in lists { curl_slist_free_all(list) }
      lists = []
    }

    /// Sets an option with a function of libcurl's, unless an earlier option failed.
    public func set(_ option: () -> CURLcode) {
      if code == CURLE_OK { code = option() }
    }

    /// Sets a number.
    public func set(_ option: CURLoption, _ number: Int) { set { tern_curl_set_number(easy, option, number) } }

    /// Sets a time in milliseconds, at least one; some versions of libcurl store only 32 bits.
    public func set(_ option: CURLoption, _ time: Duration) {
      set(option, Int(min(max(time.wholeMilliseconds, 1), Int64(Int32.max))))
    }

    /// Sets a text, or leaves the option as it is.
    public func set(_ option: CURLoption, _ text: String?) {
      if let text { set { tern_curl_set_text(easy, option, text) } }
    }

    /// Sets a list.
    public func set(_ option: CURLoption, _ lines: [String]) {
      var list: UnsafeMutablePointer<curl_slist>?
      for line in lines {
        guard let longer = curl_slist_append(list, line) else {
          curl_slist_free_all(list)
          return set { CURLE_OUT_OF_MEMORY }
        }
        list = longer
      }
      if let list { lists.append(list) }
      set { tern_curl_set_list(easy, option, list) }
    }

    /// Makes the request a POST; the body must stay where it is until the request has ended.
    public func setPost(_ body: UnsafeRawBufferPointer) {
      set(CURLOPT_POST, 1)
      set { tern_curl_set_body(easy, body.baseAddress, body.count) }
    }

    /// Sends the request and waits for its end, unless an option could not be set.
    public func perform() -> CURLcode {
      code == CURLE_OK ? curl_easy_perform(easy) : code
    }

    /// The status of the response; 0 if there was none.
    public var status: Int {
      var status = 0
      tern_curl_get_status(easy, &status)
      return status
    }

    /// Returns a description of the error that the request ended with.
    public func explanation(of code: CURLcode) -> String {
      String(cString: explanation.pointee == 0 ? curl_easy_strerror(code) : UnsafePointer(explanation))
    }
  }
#endif
