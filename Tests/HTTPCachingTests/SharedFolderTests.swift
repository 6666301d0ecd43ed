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

/// Several processes over one folder, whose writes meet.
@Suite struct SharedFolderTests {
    /// A process: its store, and what it has yet to write.
    private struct Process {
        let store: FolderCacheStore
        let writes = StepQueue()

        init(_ disk: any StorageFolder) {
            store = FolderCacheStore(on: disk, writes: writes.queue)
        }

        func write() { while writes.step() {} }

        func put(_ text: String, at seconds: Int64, for number: Int = 1, like variant: String = "")
        {
            let response = SharedFolderTests.response(text, at: seconds, like: variant)
            _ = store.update(key(number)) { entries in
                entries.removeAll { $0.variant == response.variant }
                entries.append(response)
            }
        }

        func remove(_ variant: String, for number: Int = 1) {
            _ = store.update(key(number)) { entries in
                entries.removeAll { $0.variant == SharedFolderTests.variant(variant) }
            }
        }
    }

    private static func variant(_ name: String) -> CacheVariant {
        CacheVariant(fields: name.isEmpty ? [] : [.init(name: "accept", value: .text(name))])
    }

    private static func response(
        _ text: String, at seconds: Int64, like variant: String
    ) -> CachedResponse {
        CachedResponse(
            status: 200, headers: ["X-Text": text],
            responseTime: Date(secondsSince1970: CacheBench.start + seconds), lifetime: 100
        ).with(variant: Self.variant(variant))
    }

    private let disk = CrashingDisk()

    private func onDisk(_ number: Int = 1) throws -> [String] {
        try texts(FolderCacheStore(on: disk).responses(for: key(number))).sorted()
    }

    /// Two processes that both know what the first one has stored.
    private func pair() throws -> (Process, Process) {
        let (a, b) = (Process(disk), Process(disk))
        a.put("old", at: 0, like: "x")
        a.put("other", at: 0, like: "y")
        a.write()
        #expect(try texts(b.store.responses(for: key(1))) == ["old", "other"])
        return (a, b)
    }

    @Test func ofTwoConfirmationsAtOnceBothProcessesKeepTheNewerOne() throws {
        for isFirstNewer in [false, true] {
            let disk = CrashingDisk()
            let (a, b) = (Process(disk), Process(disk))
            a.put("old", at: 0)
            a.write()
            _ = b.store.responses(for: key(1))
            a.put("a", at: isFirstNewer ? 9 : 5)
            b.put("b", at: isFirstNewer ? 5 : 9)
            a.write()
            b.write()
            let newer = isFirstNewer ? ["a"] : ["b"]
            #expect(try texts(FolderCacheStore(on: disk).responses(for: key(1))) == newer)
            for process in [a, b] {
                #expect(try texts(process.store.responses(for: key(1))) == newer)
            }
        }
    }

    @Test func twoProcessesThatAskForANewURLAtOnceKeepOneAnswerOfBoth() throws {
        let (a, b) = (Process(disk), Process(disk))
        a.put("a", at: 1)
        b.put("b", at: 2)
        a.write()
        b.write()
        #expect(try onDisk() == ["b"])
        #expect(try texts(a.store.responses(for: key(1))) == ["b"])
    }

    @Test(arguments: [false, true])
    func anAnswerThatAnotherProcessAskedForLaterStays(_ isInOneSecond: Bool) throws {
        let disk = CrashingDisk()
        let (a, b) = (
            CacheBench(folder: FolderCacheStore(on: disk)),
            CacheBench(folder: FolderCacheStore(on: disk))
        )
        let gate = InternalPromise<Void>()
        let lifetime = "max-age=100"
        a.answers(
            .init(
                headers: ["Cache-Control": lifetime, "Date": CacheBench.date(0)], body: "old",
                gate: gate))
        let call = a.send(.get, "/")
        if !isInOneSecond {
            a.advance(2)
            b.advance(2)
        }
        b.answers(
            ["Cache-Control": lifetime, "Date": CacheBench.date(isInOneSecond ? 1 : 2)], body: "new"
        )
        #expect(try b.get() == "new")
        gate.resolve()
        #expect(call.valueNow?.text == "old")
        #expect(try a.get() == "new" && b.get() == "new")
        #expect(a.requests.count == 1 && b.requests.count == 1)
        // A later answer replaces it.
        a.advance(200)
        a.answers(["Cache-Control": lifetime], body: "newest")
        #expect(try a.get() == "newest")
    }

    @Test func eachProcessKeepsTheOthersVariants() throws {
        let (a, b) = try pair()
        a.put("new", at: 1, like: "x")
        b.put("third", at: 0, like: "z")
        a.write()
        b.write()
        #expect(try onDisk() == ["new", "other", "third"])
        // What has changed meanwhile is merged in its turn.
        a.put("a", at: 2, like: "z")
        b.put("b", at: 2, like: "y")
        b.writes.interrupt { b.put("c", at: 3, like: "x") }
        a.write()
        b.write()
        #expect(try onDisk() == ["a", "b", "c"])
        #expect(try texts(b.store.responses(for: key(1))).sorted() == ["a", "b", "c"])
    }

    @Test("in one second, what stayed the same undoes nothing that another process has changed")
    func aConfirmationUndoesNoChangeOfTheSameSecond() throws {
        let (a, b) = try pair()
        a.put("new", at: 0, like: "x")
        b.put("third", at: 0, like: "z")
        a.write()
        b.write()
        #expect(try onDisk() == ["new", "other", "third"])
    }

    @Test(arguments: 0..<4)
    func theFileIsRemovedIfEitherProcessHasRemovedAResponse(_ way: Int) throws {
        let (a, b) = try pair()
        switch way {
        case 0:
            a.remove("x")
            b.put("b", at: 5, like: "x")
        case 1:
            a.put("a", at: 5, like: "x")
            b.remove("y")
        case 2:
            _ = a.store.update(key(1)) { $0 = [] }
            b.put("b", at: 5, like: "x")
        default:
            // What is stored after a removal is no older than it, but the other process's may be.
            a.put("a", at: 5, like: "z")
            _ = b.store.update(key(1)) { $0 = [] }
            b.put("b", at: 6, like: "x")
        }
        a.write()
        b.write()
        #expect(try onDisk() == [])
        #expect(try texts(a.store.responses(for: key(1))) == [])
        #expect(try texts(b.store.responses(for: key(1))) == [])
    }

    @Test func aRemovalOfWhichAProcessHasNotHeardAlsoCountsAfterANewResponse() throws {
        let (a, b) = try pair()
        b.put("b", at: 1, like: "y")
        a.remove("x")
        a.write()
        a.put("newer", at: 2, like: "z")
        a.write()
        b.write()
        #expect(try onDisk() == [])
    }

    @Test(arguments: seeds(15))
    func fourProcessesAskForAURLAboutAsOftenAsOne(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let processes = (0..<4).map { _ in Process(disk) }
        let benches = processes.map { CacheBench(folder: $0.store) }
        for bench in benches {
            bench.answers([.init(headers: ["Cache-Control": "max-age=1", "ETag": "\"1\""])])
        }
        try benches[0].ask()
        processes[0].write()
        for bench in benches {
            bench.answers([.init(status: 304, headers: ["Cache-Control": "max-age=1"])])
        }
        for _ in 0..<20 {
            for bench in benches { bench.advance(2) }
            for bench in benches.shuffled(using: &random) {
                #expect(try bench.ask().text == "1")
                if Bool.random(using: &random) { processes.randomElement(using: &random)!.write() }
            }
        }
        let whole = benches.flatMap(\.requests).filter { $0.headers["If-None-Match"] == nil }
        #expect(whole.count == 1)
    }

    // Exit tests capture values since Swift 6.3.
    #if (os(macOS) || os(Linux)) && compiler(>=6.3)
    @Test func twoProcessesThatStoreOneURLOverAndOverAlwaysFindIt() async throws {
        let folder = try TestFolder()
        let path = folder.url.path
        async let first = #expect(processExitsWith: .success) { [path = path as String] in
            storeAgainAndAgain(in: URL(fileURLWithPath: path))
        }
        async let second = #expect(processExitsWith: .success) { [path = path as String] in
            storeAgainAndAgain(in: URL(fileURLWithPath: path))
        }
        _ = await (first, second)
        let store = FolderCacheStore(on: SystemFolder(folder.url))
        #expect(try texts(store.responses(for: key(0))) == ["299"])
    }
    #endif
}

/// Stores one URL's response 300 times, unless there is a newer one, and checks each time that one of these is there.
private func storeAgainAndAgain(in folder: URL) {
    let store = FolderCacheStore(on: SystemFolder(folder))
    for number in 0..<300 {
        let new = CachedResponse(
            status: 200, headers: ["X-Text": "\(number)"],
            responseTime: Date(secondsSince1970: CacheBench.start + Int64(number)))
        // An error that is thrown would end the process without a word.
        do {
            _ = store.update(key(0)) { responses in
                if responses.allSatisfy({ $0.responseTime < new.responseTime }) {
                    responses = [new]
                }
            }
            try #require(store.flush().result).get()
            let text = try texts(store.responses(for: key(0))).first
            #expect(text.flatMap { Int($0) } ?? -1 >= number)
        } catch {
            Issue.record("after \(number): \(error)")
        }
    }
}
