extension Corpus {
  static var crashes: [[UInt8]] {
    let head = "tern-crash 1\nid 01a21b51-66dd-79aa-b67a-1e9c1c1d449e\ntime 1795754649316\nuptime 6\nprocess 28031\n"
    let signal = "signal 11 SIGSEGV 1 0x8\n"
    let context =
      #"context {"session":"01a21b51-66de-7e2b-bd7a-ae6f6f52563a","user":"u","device":{"osName":"D","osVersion":"12","#
      + #""locale":"C","timeZoneOffset":-90},"app":{"version":"2","build":"3"}}"# + "\n"
    let stack =
      "message Fatal error: no\nthread 28031 App\nframe 0x5625370e21de\nframe 0x1\nregister rip 0x5625370e21de\n"
    let image = "image 0x5625370b2000 0x562537351000 0x5625370b1000 accddfbc500583cc /opt/App (deleted)\n"
    return texts([
      head + signal + context + stack + image + "thread 28032 w\nframe 0x5625370e21dd\nend\n", head + signal,
      head + "signal -1  0 0xffffffffffffffff\n" + context, head + signal + image + image + stack,
    ])
  }
}
