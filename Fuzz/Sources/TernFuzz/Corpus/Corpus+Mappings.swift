extension Corpus {
  /// Mappings as R8 and ProGuard write them, one of two modules behind each other, and one of classes alone.
  static var mappings: [[UInt8]] {
    let compiled = """
      # compiler: R8
      # {"id":"com.android.tools.r8.mapping","version":"2.2"}
      com.example.radio.Player -> a.a:
      # {"id":"sourceFile","fileName":"Player.kt"}
          int volume -> a
          1:1:void <init>(com.example.radio.Source):14:14 -> <init>
          1:4:void play(int):21:24 -> a
          5:5:int com.example.radio.Decoder.decode(byte[]):88:88 -> a
          5:5:void play(int):25 -> a
          void stop() -> b
      com.example.radio.Decoder -> a.b:
          1:3:void reset():30:32 -> a
          4:4:boolean isReady():7 -> b
      """
    let older = """
      com.example.Main -> a.a:
          java.lang.String name -> a
          12:14:void main(java.lang.String[]) -> a
          void run() -> b
      com.example.Main$1 -> d.a.a.a:
          5:5:void onClick(android.view.View):50:50 -> a
      """
    return texts([compiled, older, compiled + "\r\n" + older, "a -> a.a:\nb -> a.a:\nc -> a.b:\n"])
  }
}
