#if DEBUG
internal import CFutures
#endif

/// A moment of the protocol between threads at which another thread may come between.
///
/// In a debug build a test can make a thread yield or sleep at these moments, so that interleavings
/// that are rare otherwise become common (see ProtocolStressTests). In a release build it is nothing.
#if DEBUG
@usableFromInline
func protocolStep() { cfutures_step() }
#else
@inlinable @inline(__always)
func protocolStep() {}
#endif
