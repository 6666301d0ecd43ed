import PledgeFutures
import Testing

@Suite struct LockedTests {
    /// A dump would read the guarded state without the lock.
    @Test func aDumpOfALockShowsNothingOfItsState() {
        let locked = Locked(["a secret"])
        var text = ""
        locked.withLock { _ in _ = dump(locked, to: &text) }
        #expect(!text.contains("secret") && !text.contains("state"))
    }
}
