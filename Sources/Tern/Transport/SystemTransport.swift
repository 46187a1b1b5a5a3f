#if !canImport(Darwin)
  /// The platform's transport: libcurl on Linux, `URLSession` on Apple platforms.
  public typealias SystemTransport = CurlTransport
#else
  /// The platform's transport: libcurl on Linux, `URLSession` on Apple platforms.
  public typealias SystemTransport = URLSessionTransport
#endif
