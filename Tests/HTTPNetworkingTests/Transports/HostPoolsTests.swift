import PledgeFutures
import PledgeServices
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPTransportKit

/// Pools are numbers here, in the order in which they were made.
struct HostPoolsTests {
    private let scheduler = ManualScheduler()
    private let retired = Locked<[Int]>([])
    private let pools: HostPools<Int>

    init() {
        pools = .numbered(on: scheduler) { [retired] pool in retired.withLock { $0.append(pool) } }
    }

    private func pool(for host: String = "a") throws -> Int { try pools.beginUse(of: host).pool }

    /// A request to a host that runs into a limit of time.
    private func lose(_ limit: Duration, to host: String = "a") throws {
        let connections = try #require(try pools.beginUse(of: host).connections)
        let start = scheduler.now
        scheduler.advance(by: limit)
        connections.noteLimit(since: start)
    }

    /// A request to a host that gets an answer.
    private func win(_ time: Duration, from host: String = "a") throws {
        let connections = try #require(try pools.beginUse(of: host).connections)
        let start = scheduler.now
        scheduler.advance(by: time)
        connections.noteByte()
        connections.noteAnswer(since: start)
    }

    @Test func aHostThatGoesSilentGetsANewPool() throws {
        try win(.milliseconds(20))
        try lose(.milliseconds(999))
        #expect(try pool() == 0)
        try win(.milliseconds(20))
        try lose(.seconds(1))
        #expect(try pool() == 1)
        #expect(try pool(for: "b") == 0)
        #expect(retired.withLock { $0 } == [])
        try lose(.seconds(1))
        #expect(try pool() == 2)
        #expect(retired.withLock { $0 } == [1])
    }

    @Test func aHostThatHasNeverAnsweredGetsANewPoolToo() throws {
        try lose(.seconds(3))
        #expect(try pool() == 1)
    }

    @Test func shortWaitsForASilentHostCountTogether() throws {
        try win(.milliseconds(20))
        for _ in 0..<9 {
            try lose(.milliseconds(110))
            scheduler.advance(by: .seconds(10))
        }
        #expect(try pool() == 0)
        try lose(.milliseconds(110))
        #expect(try pool() == 1)
    }

    @Test func waitsForASilentHostAtTheSameTimeCountOnce() throws {
        try win(.milliseconds(20))
        let connections = try #require(try pools.beginUse(of: "a").connections)
        let start = scheduler.now
        scheduler.advance(by: .milliseconds(500))
        for _ in 0..<20 { connections.noteLimit(since: start) }
        #expect(try pool() == 0)
        scheduler.advance(by: .milliseconds(500))
        for _ in 0..<20 { connections.noteLimit(since: start) }
        #expect(try pool() == 1)
    }

    /// A limit of 200 ms on a path of 300 ms says nothing, however often.
    @Test(arguments: [true, false])
    func aLimitThatIsTooShortForThePathSaysNothing(isAnswered: Bool) throws {
        if isAnswered { try win(.milliseconds(300)) }
        for _ in 0..<100 { try lose(.milliseconds(200)) }
        #expect(try pool() == 0)
    }

    @Test func bytesEndTheSilenceOfAHost() throws {
        let connections = try #require(try pools.beginUse(of: "a").connections)
        let start = scheduler.now
        for _ in 0..<10 {
            scheduler.advance(by: .milliseconds(900))
            connections.noteByte()
        }
        scheduler.advance(by: .milliseconds(900))
        connections.noteLimit(since: start)
        #expect(try pool() == 0)
    }

    @Test func aSlowPathNeedsLonger() throws {
        try win(.milliseconds(600))
        try lose(.milliseconds(1_700))
        #expect(try pool() == 0)
        try win(.milliseconds(600))
        try lose(.milliseconds(1_800))
        #expect(try pool() == 1)
        // The new pool's path is the same.
        try lose(.milliseconds(1_700))
        #expect(try pool() == 1)
    }

    /// A report that takes a minute doesn't say that connecting does.
    @Test func aSlowAnswerStandsInForTwoSecondsAtMost() throws {
        try win(.seconds(40))
        try lose(.milliseconds(5_900))
        #expect(try pool() == 0)
        try lose(.seconds(6))
        #expect(try pool() == 1)
    }

    @Test func theTimeToConnectCountsWhereItIsKnown() throws {
        let connections = try #require(try pools.beginUse(of: "a").connections)
        connections.noteConnectTime(.milliseconds(500))
        try win(.milliseconds(900))
        try lose(.milliseconds(1_400))
        #expect(try pool() == 0)
        try win(.milliseconds(900))
        try lose(.milliseconds(1_500))
        #expect(try pool() == 1)
    }

    @Test func theFirstLimitOfAnOldPoolSaysNothingOfTheNewOne() throws {
        let old = try #require(try pools.beginUse(of: "a").connections)
        let start = scheduler.now
        try lose(.seconds(2))
        #expect(try pool() == 1)
        scheduler.advance(by: .seconds(5))
        old.noteLimit(since: start)
        #expect(try pool() == 1)
    }

    @Test func anAppsPoolStays() throws {
        let pools = HostPools(0, keepAlive: .zero, on: scheduler, making: nil)
        let (pool, connections) = try pools.beginUse(of: "a")
        #expect(pool == 0 && connections == nil)
        pools.close()
        #expect(throws: HTTPError.self) { try pools.beginUse(of: "a") }
    }

    @Test func closingRetiresAllPools() throws {
        for host in ["a", "b"] { try lose(.seconds(2), to: host) }
        let late = try #require(try pools.beginUse(of: "a").connections)
        pools.close()
        #expect(retired.withLock { $0 }.sorted() == [0, 1, 2])
        let error = #expect(throws: HTTPError.self) { try pool() }
        #expect(error?.code == .transportClosed)
        scheduler.advance(by: .seconds(5))
        late.noteLimit(since: scheduler.now.advanced(by: .seconds(-5)))
        pools.close()
        #expect(retired.withLock { $0.count } == 3)
    }

    @Test func unusedHostsAreForgotten() throws {
        try lose(.seconds(2), to: "old")
        scheduler.advance(by: .seconds(61))
        for index in 0..<63 { _ = try pool(for: "\(index)") }
        #expect(retired.withLock { $0 } == [])
        _ = try pool(for: "one more")
        #expect(retired.withLock { $0 } == [1])
        #expect(try pool(for: "old") == 0)
    }

    @Test func aNewPoolReplacesTheUnusedOnes() throws {
        for host in ["a", "b"] { try lose(.seconds(2), to: host) }
        scheduler.advance(by: .seconds(61))
        #expect(try pool(for: "b") == 2)
        try lose(.seconds(2), to: "c")
        #expect(retired.withLock { $0 } == [1])
        #expect(try pool(for: "b") == 2)
    }

    @Test func aCallThatBeginsIsSeenByThePoolBeforeItIsRetired() throws {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { try pools.beginUse(of: "a") { _ in throw Refusal() } }
        let seen = Locked<[Int]>([])
        _ = try pools.beginUse(of: "a") { pool in seen.withLock { $0.append(pool) } }
        #expect(seen.withLock { $0 } == [0])
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func thePoolsKeepTheirRulesForRandomRequests(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var run = RandomRun(pools: pools, scheduler: scheduler)
        for _ in 0..<500 { try run.step(&random) }
    }
}

/// Requests to one host at random, with a plain account of what may be left.
private struct RandomRun {
    let pools: HostPools<Int>
    let scheduler: ManualScheduler
    private var requests: [(connections: HostConnections, pool: Int, start: SchedulerInstant)] = []
    private var pool = 0
    /// The waits that ran into a limit, and the bytes, of the current pool.
    private var waits: [Range<Int64>] = []
    private var lastByte = 0 as Int64
    private var lastLeave = Int64.min
    private var fastest = Int64.max

    init(pools: HostPools<Int>, scheduler: ManualScheduler) {
        self.pools = pools
        self.scheduler = scheduler
    }

    private var now: Int64 { scheduler.now.offset.nanoseconds / 1_000_000 }

    private var patience: Int64 {
        fastest == .max ? 1_000 : max(1_000, 3 * min(fastest, 2_000))
    }

    mutating func step(_ random: inout SeededGenerator) throws {
        scheduler.advance(by: .milliseconds(Int.random(in: 0..<400, using: &random)))
        let choice = Int.random(in: 0..<12, using: &random)
        guard choice > 4, !requests.isEmpty else {
            let (pool, connections) = try pools.beginUse(of: "a")
            requests.append((try #require(connections), pool, scheduler.now))
            return
        }
        let request = requests[Int.random(in: requests.indices, using: &random)]
        if choice == 5 {
            request.connections.noteByte()
            if request.pool == pool { noteByte() }
            return
        }
        requests.removeAll { $0.start == request.start }
        let start = request.start.offset.nanoseconds / 1_000_000
        switch choice {
        case 6:
            request.connections.noteByte()
            request.connections.noteAnswer(since: request.start)
            if request.pool == pool {
                noteByte()
                fastest = min(fastest, now - start)
            }
        case 7: break
        default: try noteLimit(of: request.connections, in: request.pool, request.start, start)
        }
    }

    private mutating func noteByte() {
        lastByte = now
        waits = []
    }

    private mutating func noteLimit(
        of connections: HostConnections, in old: Int, _ instant: SchedulerInstant, _ start: Int64
    ) throws {
        connections.noteLimit(since: instant)
        let next = try pools.beginUse(of: "a").pool
        guard old == pool else { return #expect(next == pool) }
        let wait = max(start, lastByte)..<now
        waits.append(wait)
        let isLeft = next != pool
        if wait.count >= patience { #expect(isLeft) }
        if fastest == .max, wait.count < patience { #expect(!isLeft) }
        guard isLeft else { return }
        let waited = Set(waits.flatMap { $0 }).count
        #expect(waited >= patience && Int64(wait.count) > min(fastest, patience - 1))
        #expect(lastLeave == .min || now - lastLeave >= 1_000)
        (pool, lastLeave) = (next, now)
        noteByte()
    }
}

extension HostPools<Int> {
    /// Pools that are numbers, in the order in which they were made.
    static func numbered(
        on scheduler: ManualScheduler,
        retiring retire: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> HostPools<Int> {
        let count = Locked(0)
        return HostPools(
            0, keepAlive: .seconds(60), on: scheduler,
            making: {
                count.withLock { count in
                    count += 1
                    return count
                }
            }, retiring: retire)
    }
}
