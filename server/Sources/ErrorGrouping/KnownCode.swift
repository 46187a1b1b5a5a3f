/// Names of systems, languages' libraries and reporters, which distinguish their frames from an app's.
///
/// The lists need not be complete: a frame that is wrongly taken for the app's only makes a group smaller, and one that is
/// wrongly skipped counts where no other is left.
enum KnownCode {
  // MARK: Images

  static let systemFolders: [StaticString] = [
    "/usr/lib", "/lib/", "/lib64/", "/lib32/", "/System/", "/Library/Apple/", "/Developer/", "/apex/", "/system/",
    "/system_ext/", "/vendor/", "/product/", "/private/preboot/", "/data/dalvik-cache/", "/snap/core", "[",
    "linux-vdso", "linux-gate", "C:\\Windows\\", "C:\\WINDOWS\\", "<anonymous:", "/memfd:jit-cache",
    "/usr/share/swift", "/opt/swift", "C:\\Program Files\\dotnet\\", "/usr/share/dotnet",
  ]

  static let systemImages: Set<String> = [
    // Apple
    "CoreFoundation", "Foundation", "UIKit", "UIKitCore", "UIKitMacHelper", "UIFoundation", "AppKit", "HIToolbox",
    "GraphicsServices", "QuartzCore", "CoreGraphics", "CoreData", "CFNetwork", "Security", "dyld", "dyld_sim",
    "SwiftUI", "SwiftUICore", "SwiftData", "Combine", "WebKit", "WebKitLegacy", "WebCore", "JavaScriptCore",
    "AVFoundation", "AVFAudio", "AVFCore", "AVKit", "MediaToolbox", "MediaPlayer", "Metal", "MetalKit",
    "MetalPerformanceShaders", "AttributeGraph", "FrontBoardServices", "BoardServices", "BaseBoard",
    "RunningBoardServices", "CoreText", "CoreMedia", "CoreLocation", "CoreBluetooth", "CoreMotion", "CoreAudio",
    "AudioToolbox", "AudioToolboxCore", "CoreImage", "CoreVideo", "CoreML", "CoreSpotlight", "CoreTelephony",
    "CoreAutoLayout", "StoreKit", "MapKit", "VectorKit", "ImageIO", "Photos", "PhotosUI", "WatchKit", "ClockKit",
    "WidgetKit", "IOKit", "IOSurface", "Network", "UserNotifications", "XCTest", "XCTestCore", "SceneKit",
    "SpriteKit", "GameKit", "PDFKit", "Contacts", "EventKit", "HealthKit", "HomeKit", "CloudKit", "ARKit",
    "RealityKit", "Intents", "AppIntents", "LinkPresentation", "QuickLook", "ViewBridge", "LaunchServices",
    "CarbonCore", "Accessibility", "UIAccessibility", "TextInput", "TextInputUI", "UIKitServices", "OpenGLES",
    "GLEngine", "Carbon", "CoreServices", "DiskArbitration", "SystemConfiguration", "Vision", "NaturalLanguage",
    "Accelerate", "vImage", "vecLib", "libBLAS.dylib", "libz.1.dylib", "ReplayKit", "MessageUI", "SafariServices",
    "AuthenticationServices", "LocalAuthentication", "PassKit", "CryptoKit", "OSLog", "MetricKit", "BackgroundTasks",
    "Swift", "ProVideo",
    // Android
    "linker", "linker64", "app_process", "app_process64", "app_process32", "boot.oat", "framework.jar", "core-oj.jar",
    "libc.so", "libm.so", "libdl.so", "libart.so", "libartbase.so", "libandroid_runtime.so", "libandroid.so",
    "libbinder.so", "libutils.so", "libhwui.so", "libgui.so", "libui.so", "liblog.so", "libcutils.so",
    "libnativehelper.so", "libjavacore.so", "libopenjdk.so", "libEGL.so", "libGLESv2.so", "libvulkan.so",
    "libmedia.so", "libstagefright.so", "libaudioclient.so", "libsqlite.so", "libssl.so", "libcrypto.so",
    "libbase.so", "libc++.so", "libc++_shared.so", "libinput.so", "libwebviewchromium.so", "libmonochrome.so",
    "libunity.so", "libmain.so", "libmono.so", "libmonobdwgc-2.0.so", "libmonosgen-2.0.so", "libflutter.so",
    "Flutter", "UnityFramework", "libhermes.so", "libjsc.so", "libreactnativejni.so", "libreactnative.so",
    "libfbjni.so", "libclang_rt.asan.so", "hermes", "libjsi.so",
    // Windows
    "ntdll.dll", "kernel32.dll", "KERNEL32.DLL", "kernelbase.dll", "KERNELBASE.dll", "ucrtbase.dll", "msvcrt.dll",
    "user32.dll", "gdi32.dll", "win32u.dll", "combase.dll", "ole32.dll", "rpcrt4.dll", "clr.dll", "coreclr.dll",
    "clrjit.dll", "mscorlib.dll", "d3d11.dll", "dxgi.dll", "USER32.dll", "ntoskrnl.exe", "clrgc.dll",
    "hostpolicy.dll", "ntdll", "kernel32", "kernelbase", "KERNELBASE", "ucrtbase", "msvcrt", "user32", "coreclr",
    "clr",
  ]

  static let systemImagePrefixes: [StaticString] = [
    "libsystem_", "libSystem", "libobjc", "libdispatch", "libswift", "libc++", "libxpc", "libdyld", "libicu",
    "libsqlite3", "libnetwork", "libGPU", "AGXMetal", "IOGPU", "AMDMetal", "AppleIntel", "libAccessibility",
    "libRPAC", "libMTL", "libBacktraceRecording", "libViewDebuggerSupport", "libclang_rt", "libRIP", "libFontParser",
    "libc.so", "libc-2.", "libpthread", "libstdc++", "libgcc_s", "ld-linux", "ld-2.", "ld-musl", "libm-2.",
    "libFoundation", "lib_Foundation", "libBlocksRuntime", "lib_InternationalizationICU", "libcoreclr", "libSystem.",
    "libclrjit", "libhostpolicy", "libhostfxr", "libart-", "libadreno", "libGLES_", "libllvm-", "vulkan.", "msvcp1",
    "vcruntime1", "MSVCP1", "VCRUNTIME1", "api-ms-win", "nvoglv", "atio6", "Qt5", "Qt6", "libQt5", "libQt6",
    "libgtk-", "libgdk-", "libglib-", "ig9icd", "nvwgf2", "boot-", "linux-vdso",
  ]

  // MARK: Functions

  /// The functions by which runtimes end a process or throw.
  static let failures: Set<String> = [
    "abort", "raise", "gsignal", "kill", "tgkill", "pthread_kill", "__pthread_kill", "__assert_fail",
    "__assert_fail_base", "__assert_rtn", "__assert", "__assert2", "_assert", "_wassert", "__stack_chk_fail",
    "__libc_message", "__libc_fatal", "malloc_printerr", "malloc_error_break", "_int_free", "_int_malloc", "_Exit",
    "_exit", "exit", "__GI_abort", "__GI_raise", "__pthread_kill_implementation", "__pthread_kill_internal",
    "__pthread_kill_implementation.constprop", "__kill", "_assertionFailure", "Swift._assertionFailure",
    "_fatalErrorMessage", "Swift._fatalErrorMessage", "fatalError", "preconditionFailure", "assertionFailure",
    "Swift.fatalError", "precondition", "Swift.precondition", "std::terminate", "std::__terminate", "std::abort",
    "terminate", "demangling_terminate_handler", "_purecall", "__restore_rt", "_sigtramp", "__kernel_rt_sigreturn",
    "rust_begin_unwind", "rust_panic", "rust_panic_with_hook", "panic", "runtime.gopanic", "runtime.panic",
    "__fortify_fail", "__chk_fail", "_objc_terminate", "RaiseException", "_CxxThrowException", "RtlRaiseException",
    "_invalid_parameter_noinfo_noreturn", "System.Environment.FailFast", "System.ThrowHelper", "abort_message",
    "__abort_message", "std::panicking::begin_panic", "swiftRuntimeFailure", "UnityEngine.Debug:LogException",
    "UnityEngine.Debug.LogException", "print_stack", "art::Runtime::Abort", "raiseException",
    "Object.captureStackTrace", "Error.captureStackTrace", "invariant", "__throw", "il2cpp::vm::Exception::Raise",
  ]

  /// The functions that call a signal's handler. The crash is below them.
  static let signalFrames: Set<String> = [
    "__restore_rt", "_sigtramp", "__kernel_rt_sigreturn", "<signal handler called>",
  ]

  static let failurePrefixes: [StaticString] = [
    "swift_unexpectedError", "swift_fatalError", "swift::fatalError", "swift::swift_abort", "swift_abort",
    "swift_dynamicCastFailure", "swift_runtime_", "swift::swift_", "Swift runtime failure", "__cxa_", "__cxxabiv1::",
    "_Unwind_", "_objc_exception", "objc_exception_", "objc_terminate", "__exceptionPreprocess", "__raiseError",
    "+[NSException raise", "-[NSException raise", "-[NSAssertionHandler ", "core::panicking::", "std::panicking::",
    "std::panic", "core::result::unwrap_failed", "core::option::expect_failed", "core::option::unwrap_failed",
    "alloc::alloc::handle_alloc_error", "std::rt::", "std::sys::backtrace::", "std::sys_common::backtrace::",
    "rust_panic", "__rust_", "runtime.panic", "runtime.goPanic", "runtime.sigpanic", "runtime.throw", "runtime.fatal",
    "runtime/debug.", "std::__throw_", "std::__1::__throw_", "art::Thread::AssertNo", "art::LogMessage",
    "android::base::LogMessage", "ThrowHelper.", "__GI___", "unwindstack::", "__sanitizer", "__asan_",
    "java.lang.Throwable.fillInStackTrace", "System.Runtime.ExceptionServices.", "System.ThrowHelper.",
    "_AssertionError._", "doesNotRecognizeSelector",
  ]

  /// The types and protocols of Swift's library whose functions are specialized most.
  static let genericTypes: [StaticString] = [
    "Sequence.", "Collection.", "MutableCollection.", "BidirectionalCollection.", "RandomAccessCollection.", "Array.",
    "ArraySlice.", "ContiguousArray.", "Dictionary.", "Set.", "Optional.", "Result.", "String.", "Substring.",
    "_Contiguous", "_Array", "_Native", "_String", "_Slice", "Lazy", "RangeReplaceableCollection.", "Unsafe",
    "_Dictionary", "_Set", "BinaryInteger.", "FixedWidthInteger.", "KeyedDecodingContainer.", "IndexingIterator.",
    "Range.", "ClosedRange.",
  ]

  static let systemFunctionNames: Set<String> = [
    "memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strcmp", "strcpy", "strncpy", "strdup", "strchr",
    "strstr", "malloc", "free", "realloc", "calloc", "printf", "start", "clone", "syscall", "poll", "select",
    "epoll_wait", "sleep",
  ]

  static let systemFunctions: [StaticString] = [
    // Java, Kotlin, Android
    "java.", "javax.", "jdk.", "sun.", "com.sun.", "android.", "androidx.", "kotlin.", "kotlinx.", "dalvik.",
    "libcore.", "com.android.", "com.google.android.", "com.google.common.", "okhttp3.", "okio.", "retrofit2.",
    "io.reactivex.", "rx.", "com.facebook.react.", "com.facebook.jni.", "com.facebook.hermes.", "io.flutter.",
    "com.unity3d.", "org.chromium.", "org.apache.", "org.json.", "scala.", "groovy.", "libc.", "kfun:kotlin.",
    "Konan_", "com.squareup.", "dagger.", "org.springframework.", "reactor.", "io.netty.",
    // .NET, Unity
    "System.", "Microsoft.", "Mono.", "MS.", "Internal.", "Windows.", "UnityEngine.", "Unity.", "UnityEditor.",
    "Java.Interop.", "Android.Runtime.", "UIKit.", "AppKit.", "Xamarin.", "ObjCRuntime.", "Interop.",
    // Swift and Objective-C
    "Swift.", "_Concurrency.", "Foundation.", "FoundationEssentials.", "Dispatch.", "swift_", "swift::", "__swift_",
    "objc_", "_dispatch_", "dispatch_", "__CF", "CFRunLoop", "_CF", "NSApplicationMain", "UIApplicationMain", "__NS",
    "-[__NS", "-[NSObject(", "_pthread_", "pthread_", "start_wqthread", "thread_start", "_Block_", "__os_",
    "mach_msg",
    // C, C++, Rust, Go
    "std::", "core::", "alloc::", "__gnu_cxx::", "tokio::", "futures_", "hashbrown::", "runtime.", "reflect.",
    "testing.", "net/http.", "sync.", "syscall.", "os/signal.", "__libc_", "_start", "start_thread", "__clone",
    "clone3", "__GI_", "_IO_", "__libc", "__mem", "__str", "_platform_mem", "_platform_str", "operator new",
    "operator delete", "_ZSt", "_ZNSt", "g_main_", "g_signal_", "gtk_", "g_closure_", "g_object_",
    "QCoreApplication::", "QApplication::", "QObject::", "QEventLoop::", "art::", "_JNIEnv::", "BaseThreadInitThunk",
    "RtlUserThreadStart", "KiUserExceptionDispatcher", "invoke_main", "__scrt_common_main",
    // JavaScript, Dart, Python
    "node:", "process.processTicksAndRejections", "processTicksAndRejections", "Module._", "_RawReceivePort",
    "_rootRun", "Promise.", "Array.forEach", "Array.map", "Function.", "Generator.", "asyncGeneratorStep",
    "_bootstrap", "dart:",
  ]

  // MARK: Files

  /// The endings of source files' names.
  static let sourceSuffixes: Set<String> = [
    "swift", "m", "mm", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "java", "kt", "kts", "cs", "vb", "fs", "js", "mjs",
    "cjs", "jsx", "ts", "tsx", "vue", "svelte", "py", "rb", "php", "rs", "go", "dart", "scala", "groovy", "bundle",
    "jsbundle", "hbc", "html", "s", "S", "asm", "zig", "ex", "erl", "lua",
  ]

  /// Folders with code of others, wherever they lie.
  static let libraryFolders: [StaticString] = [
    "/node_modules/", "/.build/checkouts/", "/SourcePackages/checkouts/", "/Pods/", "/Carthage/", "/.cargo/registry/",
    "/rustc/", "/go/pkg/mod/", "/usr/local/go/src/", "/libexec/src/", "/site-packages/", "/dist-packages/",
    "/lib/python", "\\lib\\python", "/usr/include/", "/c++/v1/", "/include/c++/", "/swift/stdlib/",
    "/swift-corelibs-", "/libcxx/", "/sysdeps/", "/glibc", "/org-dartlang", "node:", "/.pub-cache/", "/vendor/",
    "webpack/runtime", "/gems/", "/lib/ruby/", "/library/std/src/", "/library/core/src/", "/library/alloc/src/",
    "\\node_modules\\", "/cpython/", "[native code]", "chrome-extension://", "moz-extension://",
    "safari-extension://", "/react-dom", "/zone.js", "/polyfills", "/usr/lib",
  ]

  static let systemFiles: [StaticString] = [
    "node:", "internal/process/", "internal/modules/", "internal/timers", "internal/streams/", "dart:",
    "package:flutter/", "package:flutter_", "package:async/", "package:stack_trace/", "package:sentry", "<frozen",
    "[native", "node_modules/", "vendor/", "webpack/", "./node_modules/", "asyncio/", "threading.py", "events.js",
    "module.js", "timers.js", "net.js", "fs.js", "_stream", "electron/js2c",
  ]

  // MARK: Reporters

  /// Names before which nothing, a separator or the next word may stand.
  static let reporters: [StaticString] = [
    "Tern", "AppCenter", "Sentry", "Crashlytics", "FirebaseCrashlytics", "Bugsnag", "Instabug", "Raygun", "Rollbar",
    "Datadog", "PLCrash", "MSAC", "FIRCLS", "GAI", "GAITracker", "KSCrash", "com.microsoft.appcenter",
    "com.google.firebase", "com.google.android.gms.analytics", "io.sentry", "com.bugsnag", "com.instabug", "app.tern",
    "@sentry", "sentry_", "Google.Firebase", "Microsoft.AppCenter", "captureException", "libsentry", "libcrashlytics",
    "libbugsnag", "libbreakpad",
  ]
}
