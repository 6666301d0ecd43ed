import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPCaching
@testable import PledgeStorage

/// Several processes with one folder, which miss a response at the same time.
@Suite struct CacheTurnsTests {
    private let disk = CrashingDisk()
    private let bench: CacheBench
    private let key = CacheKey(URL(string: "https://example.com/")!)!

    init() {
        bench = CacheBench(folder: FolderCacheStore(on: disk))
        bench.answers(["Cache-Control": "max-age=100"], body: "mine")
    }

    private func send(_ headers: HTTPHeaders = [:]) -> Future<HTTPResponse> {
        bench.send(.get, "/", headers)
    }

    /// Another process stores its answer.
    private func storeOthers(after seconds: Int = 0) {
        let other = CacheBench(folder: FolderCacheStore(on: disk))
        other.advance(seconds)
        disk.setOthersHavePlaces(false)
        other.answers(["Cache-Control": "max-age=100"], body: "the other's")
        #expect(throws: Never.self) { try other.ask(.get, "/") }
    }

    private func milliseconds(_ count: Int) { bench.scheduler.advance(by: .milliseconds(count)) }

    @Test("a call waits while another process asks for the same, and gets that answer")
    func aCallWaitsWhileAnotherProcessAsksForTheSame() {
        disk.setOthersHavePlaces(true)
        let call = send()
        milliseconds(30)
        #expect(bench.requests.isEmpty && !call.isSettled)
        storeOthers()
        milliseconds(16)
        #expect(call.valueNow?.text == "the other's" && bench.requests.isEmpty)
        #expect(call.valueNow?.cacheStatus == .hit && disk.places.isEmpty)
    }

    @Test func aCallThatFindsTheOthersAnswerOnlyInItsTurnDoesNotAskEither() throws {
        let call = send()
        #expect(call.valueNow?.text == "mine" && disk.places.isEmpty)
        let late = CacheBench(folder: FolderCacheStore(on: disk))
        #expect(try late.get() == "mine")
        #expect(late.requests.isEmpty)
    }

    @Test("a call waits for the store's time limit, and the next ones of a minute don't")
    func aCallWaitsForTheStoresTimeLimit() {
        disk.setOthersHavePlaces(true)
        bench.answers(["Cache-Control": "no-store"], body: "mine")
        let call = send()
        milliseconds(490)
        #expect(bench.requests.isEmpty)
        milliseconds(40)
        #expect(call.valueNow?.text == "mine")
        #expect(send().valueNow?.text == "mine")
        bench.advance(59)
        #expect(send().valueNow?.text == "mine")
        bench.advance(1)
        #expect(!send().isSettled)
    }

    @Test("a response that can't be stored costs each process one wait, not each call")
    func aResponseThatCannotBeStoredCostsEachProcessOneWait() {
        disk.setOthersHavePlaces(true)
        bench.answers(["Cache-Control": "no-store"], body: "mine")
        let call = send()
        disk.setOthersHavePlaces(false)
        milliseconds(1)
        #expect(call.valueNow?.text == "mine" && disk.places.isEmpty)
        disk.setOthersHavePlaces(true)
        #expect(send().valueNow?.text == "mine")
    }

    @Test(arguments: [false, true])
    func aTurnLastsUntilTheAnswerIsInTheFolder(_ isCancelled: Bool) throws {
        let gate = InternalPromise<Void>()
        let queue = StepQueue()
        let store = FolderCacheStore(on: disk, writes: queue.queue)
        let bench = CacheBench(folder: store)
        bench.answers(.init(headers: ["Cache-Control": "max-age=100"], gate: gate))
        let files = Locked<[Bool]>([])
        disk.onLeaving { [disk] in
            files.withLock { $0.append(disk.names.contains { $0.hasSuffix(".http") }) }
        }
        var call: Future<HTTPResponse>? = bench.send(.get, "/")
        #expect(disk.places.count == 1)
        if isCancelled { call?.cancel() } else { gate.resolve() }
        while queue.step() {}
        #expect(files.withLock { $0 } == [!isCancelled] && disk.places.isEmpty)
        call = nil
    }

    @Test("two caches of one folder share a turn, which lasts until both have answers")
    func twoCachesOfOneFolderShareATurn() {
        let store = FolderCacheStore(on: disk)
        let benches = [CacheBench(folder: store), CacheBench(folder: store)]
        let gates = benches.map { bench in
            let gate = InternalPromise<Void>()
            bench.answers(.init(headers: ["Cache-Control": "no-store"], gate: gate))
            return gate
        }
        let calls = benches.map { $0.send(.get, "/") }
        #expect(disk.places.count == 1 && benches.allSatisfy { $0.requests.count == 1 })
        gates[0].resolve()
        #expect(calls[0].isSettled && disk.places.count == 1)
        gates[1].resolve()
        #expect(calls[1].isSettled && disk.places.isEmpty)
    }

    @Test("after one cache has waited in vain, another cache of the folder does not wait")
    func aWaitInVainSparesTheOtherCacheOfTheFolder() {
        let store = FolderCacheStore(on: disk)
        let benches = [CacheBench(folder: store), CacheBench(folder: store)]
        for bench in benches { bench.answers(["Cache-Control": "no-store"], body: "mine") }
        disk.setOthersHavePlaces(true)
        let call = benches[0].send(.get, "/")
        benches[0].scheduler.advance(by: .milliseconds(530))
        #expect(call.valueNow?.text == "mine")
        #expect(benches[1].send(.get, "/").valueNow?.text == "mine")
    }

    @Test func aConfirmationHasATurnToo() {
        bench.answers(["Cache-Control": "max-age=1", "ETag": "\"1\""], body: "mine")
        #expect(send().valueNow?.text == "mine")
        bench.advance(2)
        disk.setOthersHavePlaces(true)
        let call = send()
        #expect(!call.isSettled)
        storeOthers(after: 2)
        milliseconds(16)
        #expect(call.valueNow?.text == "the other's" && bench.requests.count == 1)
    }

    @Test(arguments: ["Cache-Control", "If-None-Match", "Range"])
    func aCallDoesNotWaitForAnAnswerThatItCouldNotUse(_ header: String) {
        disk.setOthersHavePlaces(true)
        let value = ["Cache-Control": "no-cache", "Range": "bytes=0-1"][header] ?? "\"1\""
        #expect(send([header: value]).isSettled)
    }

    @Test func aCallDoesNotWaitForAnotherUsersAnswer() {
        #expect(send(["Authorization": "Bearer a"]).isSettled)
        let places = Locked<Set<Int64>>([])
        disk.onLeaving {}
        let gate = InternalPromise<Void>()
        bench.answers(.init(headers: ["Cache-Control": "max-age=100"], gate: gate))
        let calls = ["a", "b"].map { name in
            let call = send(["Authorization": "Bearer 2\(name)"])
            places.withLock { $0.formUnion(disk.places) }
            return call
        }
        #expect(places.withLock { $0.count } == 2)
        gate.resolve()
        #expect(calls.allSatisfy(\.isSettled) && disk.places.isEmpty)
    }

    /// A store in memory whose locks the test gives.
    private struct LockingStore: CacheStore {
        let memory = MemoryCacheStore()
        let names = Locked<[String]>([])
        let lock: @Sendable () -> Future<(any AnyObject & Sendable)?>

        func responses(for key: CacheKey) -> Future<[CachedResponse]> { memory.responses(for: key) }
        func update(
            _ key: CacheKey, _ change: @escaping @Sendable (inout [CachedResponse]) -> Void
        ) -> Future<Void> { memory.update(key, change) }
        func removeAll() -> Future<Void> { memory.removeAll() }
        func usage() -> Future<CacheUsage> { memory.usage() }
        func lockForRequest(_ name: String) -> Future<(any AnyObject & Sendable)?> {
            names.withLock { $0.append(name) }
            return lock()
        }
    }

    private final class Lock: Sendable {
        let isHeld: Locked<Bool?>
        init(_ isHeld: Locked<Bool?>) {
            self.isHeld = isHeld
            isHeld.withLock { $0 = true }
        }
        deinit { isHeld.withLock { $0 = false } }
    }

    private func service(_ store: LockingStore, _ key: Data? = nil) -> HTTPService {
        let cache = HTTPCache(in: store, partitionKey: key, on: bench.scheduler)
        return stack(.cache(sharing: cache), over: bench.origin)
    }

    private let request = HTTPRequest(at: "https://example.com/")

    @Test func anAppsOwnStoreHasItsLockForARequestUntilTheAnswerIsInTheStore() {
        let (isHeld, gate) = (Locked<Bool?>(nil), Promise<Void>())
        let store = LockingStore { Future(value: Lock(isHeld)) }
        bench.answers(.init(headers: ["Cache-Control": "max-age=100"], gate: gate))
        let call = service(store)(request)
        #expect(isHeld.withLock { $0 } == true && bench.requests.count == 1)
        gate.resolve()
        #expect(call.isSettled && isHeld.withLock { $0 } == false)
        #expect(store.memory.currentUsage.count == 1)
    }

    @Test("A lock that fails or hangs costs no answer, and one that comes too late is released")
    func aLockThatFailsOrHangsCostsNoAnswer() throws {
        let failing = LockingStore { Future(error: CacheBench.Lost()) }
        #expect(service(failing)(request).valueNow?.text == "mine")

        let (isHeld, late) = (Locked<Bool?>(nil), Promise<Void>())
        let hanging = LockingStore {
            Future.make { resolver in
                late.observe { _ in resolver.resolve(with: Lock(isHeld)) }
            }
        }
        let call = service(hanging)(request)
        milliseconds(499)
        #expect(!call.isSettled && bench.requests.count == 1)
        milliseconds(1)
        #expect(call.valueNow?.text == "mine" && bench.requests.count == 2)
        late.resolve()
        #expect(isHeld.withLock { $0 } == false)
    }

    @Test func aCancelledCallReleasesItsLock() {
        let isHeld = Locked<Bool?>(nil)
        let store = LockingStore { Future(value: Lock(isHeld)) }
        let gate = Promise<Void>()
        gate.onCancel {}
        bench.answers(.init(headers: ["Cache-Control": "max-age=100"], gate: gate))
        let call = service(store)(request)
        #expect(isHeld.withLock { $0 } == true)
        call.cancel()
        #expect(isHeld.withLock { $0 } == false)
    }

    @Test("A lock's name has no URL and no user, and is the same with the same key only")
    func aLocksNameHasNoURLAndNoUser() {
        let key = Data("0123456789abcdef".utf8)
        let names = [key, key, Data("fedcba9876543210".utf8)].map { key in
            let store = LockingStore { Future(value: nil) }
            var request = request
            request.headers["Authorization"] = "Bearer secret"
            _ = service(store, key)(request)
            return store.names.withLock { $0.first ?? "" }
        }
        #expect(names[0] == names[1] && names[0] != names[2])
        #expect(names.allSatisfy { $0.count == 32 && $0.allSatisfy { $0.isHexDigit } })
    }

    @Test(arguments: [false, true])
    func aCallWithADeadlineWaitsForAQuarterOfItsTimeAtMost(_ isStale: Bool) throws {
        if isStale {
            bench.answers(["Cache-Control": "max-age=1, stale-if-error=600"], body: "stale")
            try bench.ask(.get, "/")
            bench.advance(2)
        }
        disk.setOthersHavePlaces(true)
        let gate = Promise<Void>()
        gate.onCancel {}
        bench.answers(.init(headers: ["Cache-Control": "max-age=100"], body: "mine", gate: gate))
        let deadline = CallDeadline(after: .milliseconds(400), on: bench.scheduler)
        let asked = bench.requests.count
        let call = CallContext(deadline: deadline).run { send() }
        milliseconds(99)
        #expect(bench.requests.count == asked)
        milliseconds(1)
        #expect(bench.requests.count == asked + 1)
        if isStale {
            milliseconds(300)
            #expect(call.valueNow?.text == "stale")
        } else {
            gate.resolve()
            #expect(call.valueNow?.text == "mine")
        }
    }

    @Test(
        "After it has removed a response, a process doesn't wait for an answer that may be older",
        arguments: ["POST", "remove", "clear", "sign-out"])
    func aProcessDoesNotWaitForAnAnswerOlderThanItsRemoval(_ way: String) throws {
        #expect(send().valueNow?.text == "mine")
        switch way {
        case "POST": try bench.ask(.post, "/")
        case "remove": bench.cache.remove(URL(string: "https://example.com/")!)
        case "clear": bench.cache.clear()
        default: bench.cache.remove(account: "alice")
        }
        disk.setOthersHavePlaces(true)
        let asked = bench.requests.count
        bench.answers(["Cache-Control": "no-store"], body: "new")
        let call = send(way == "sign-out" ? ["Accept-Language": "de"] : [:])
        #expect(call.isSettled && bench.requests.count == asked + (way == "sign-out" ? 0 : 1))
        bench.advance(101)
        #expect(!send().isSettled)
    }

    @Test("A lock that hangs is waited for once in a minute, and the cache goes on")
    func aLockThatHangsIsWaitedForOnceInAMinute() throws {
        let hanging = Locked<[Promise<(any AnyObject & Sendable)?>]>([])
        let store = LockingStore {
            let lock = Promise<(any AnyObject & Sendable)?>()
            lock.onCancel {}
            hanging.withLock { $0.append(lock) }
            return lock
        }
        let service = service(store)
        let call = service(request)
        milliseconds(500)
        #expect(call.valueNow?.text == "mine")
        #expect(service(request).valueNow?.text == "mine" && bench.requests.count == 1)
        #expect(service(HTTPRequest(at: "https://example.com/2")).isSettled)
        #expect(store.names.withLock { $0.count } == 1 && store.memory.currentUsage.count == 2)
        bench.advance(60)
        #expect(!service(HTTPRequest(at: "https://example.com/3")).isSettled)
    }

    @Test func equalCallsOfOneProcessShareItsLockAndItsWait() {
        let (isHeld, gate, free) = (Locked<Bool?>(nil), Promise<Void>(), Locked(false))
        let store = LockingStore {
            Future(value: free.withLock { $0 } ? Lock(isHeld) : nil)
        }
        let service = service(store)
        bench.answers(.init(headers: ["Cache-Control": "max-age=100"], body: "mine", gate: gate))
        let waiting = (0..<3).map { _ in service(request) }
        #expect(store.names.withLock { $0.count } == 1)
        free.withLock { $0 = true }
        milliseconds(1)
        let late = service(request)
        #expect(store.names.withLock { $0.count } == 2 && bench.requests.count == 1)
        gate.resolve()
        #expect((waiting + [late]).allSatisfy { $0.valueNow?.text == "mine" })
        #expect(bench.requests.count == 1 && isHeld.withLock { $0 } == false)
    }

    @Test func oneProcessAtATimeRevalidatesAStaleResponseInTheBackground() throws {
        bench.answers(["Cache-Control": "max-age=1, stale-while-revalidate=600"], body: "mine")
        try bench.ask(.get, "/")
        bench.advance(2)
        disk.setOthersHavePlaces(true)
        #expect(send().valueNow?.text == "mine" && bench.requests.count == 1)
        disk.setOthersHavePlaces(false)
        #expect(send().valueNow?.text == "mine" && bench.requests.count == 2)
        #expect(disk.places.isEmpty)
    }

    // Exit tests capture values since Swift 6.3.
    #if (os(Linux) || os(macOS)) && compiler(>=6.3)
    @Test("one process at a time has the place of a turn, until it leaves")
    func oneProcessAtATimeHasThePlaceOfATurn() async throws {
        let folder = try TestFolder()
        let path = folder.url.path
        let own = FilePlaces(in: SystemFolder(folder.url))
        #expect(own.takePlace(7) == true)
        #expect(own.takePlace(7) == nil)
        #expect(own.takePlace(.max) == true)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let other = FilePlaces(in: SystemFolder(URL(fileURLWithPath: path)))
            #expect(other.takePlace(7) == false)
            #expect(other.takePlace(8) == true)
            // The process ends with this place.
        }
        #expect(own.takePlace(8) == true)
        own.leave(7)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let next = FilePlaces(in: SystemFolder(URL(fileURLWithPath: path)))
            #expect(next.takePlace(7) == true)
        }
    }

    @Test func fourProcessesThatStartWithAnEmptyFolderAskOnceForEachURL() async throws {
        let folder = try TestFolder()
        let path = folder.url.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String] in
                        try await askForTwenty(in: path)
                    }
                }
            }
            try await group.waitForAll()
        }
        let asked = try Data(contentsOf: folder.url.appendingPathComponent("asked"))
        #expect(asked.count == 20)
    }
    #endif
}

/// Asks for twenty URLs with a cache in a folder, and notes the requests to the origin in the file "asked".
private func askForTwenty(in path: String) async throws {
    let folder = URL(fileURLWithPath: path)
    let store = FolderCacheStore.shared(
        folder.appendingPathComponent("cache"), limit: 1 << 24, memory: 1 << 20, on: .live)
    // However slow the machine is, nobody asks because of the time limit.
    let cache = HTTPCache(in: store, storeTimeLimit: .seconds(600))
    try await askForTwenty(
        through: .cache(sharing: cache), noting: folder.appendingPathComponent("asked").path)
    try await cache.flush().value
}
