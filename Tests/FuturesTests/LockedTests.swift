import Futures
import Testing

@Suite struct LockedTests {
    /// It would read what the lock guards without the lock.
    @Test func aDumpShowsNothingOfTheState() {
        let locked = Locked(["a secret"])
        var text = ""
        locked.withLock { _ in _ = dump(locked, to: &text) }
        #expect(!text.contains("secret") && !text.contains("state"))
    }
}
