import Foundation

#if canImport(Darwin)
  import Darwin

  /// Returns true if another process traces this one.
  package func debuggerIsAttached() -> Bool {
    var info = kinfo_proc()
    var size = MemoryLayout<kinfo_proc>.stride
    var name: [Int32] = [CTL_KERN, KERN_PROC, KERN_PROC_PID, getpid()]
    guard sysctl(&name, UInt32(name.count), &info, &size, nil, 0) == 0 else { return false }
    return info.kp_proc.p_flag & P_TRACED != 0
  }
#else
  /// Returns true if another process traces this one.
  package func debuggerIsAttached() -> Bool {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let tracer = status.split(separator: "\n").first { $0.hasPrefix("TracerPid:") }
    return tracer.map { !$0.hasSuffix("\t0") } ?? false
  }
#endif
