import Pledge
import PledgeTesting
import TestSupport
import Testing

/// The section Futures of Docs/Guides/CheatSheet.md says what the code does.
@Suite(.oneAtATime)
struct CheatSheetFuturesTests {
    private struct Broken: Error {}
    private struct Other: Error {}

    private let sheet: CheatSheet

    init() throws { sheet = try CheatSheet(section: "Futures") }

    @Test func allFunctionsAreListed() throws {
        let listed = sheet.tables.flatMap { $0["Function"] }.flatMap(MarkdownTable.code)
        let declared = try CheatSheet.declarations(in: "Sources/Futures/Combinators/")
            .filter { ["Future", "Publisher", ""].contains($0.type) }.map(\.signature)
        #expect(Set(listed).symmetricDifference(declared) == [])
        #expect(listed.count == Set(listed).count)
    }

    /// Each function of one future, with a closure that takes part if it is called.
    private let fromOne: [String: @Sendable (Future<Int>) -> Future<Int>] = [
        "map(_:)": { $0.map { $0 } },
        "flatMap(_:)": { $0.flatMap { Future(value: $0) } },
        "filter(_:)": { $0.filter { _ in true } },
        "mapError(_:)": { $0.mapError { _ in Other() } },
        "recover(_:)": { $0.recover { _ in 1 } },
        "then(_:)": { $0.then { $0 } },
        "flatMapError(_:)": { $0.flatMapError { _ in Future(value: 1) } },
        "flatMapResult(_:)": { $0.flatMapResult { _ in Future(value: 1) } },
        "onSuccess(_:)": { $0.onSuccess { _ in } },
        "onFailure(_:)": { $0.onFailure { _ in } },
        "always(_:)": { $0.always {} },
        "timeout(_:on:)": { $0.timeout(.seconds(1), on: ManualScheduler()) },
        "delay(_:on:)": { $0.delay(.seconds(1), on: ManualScheduler()) },
        "shielded()": { $0.shielded() },
    ]

    @Test func whatBecomesOfAFailureAndOfACancellation() throws {
        let table = try #require(sheet.tables.first)
        #expect(table.rows.count == fromOne.count)
        for row in table.rows {
            let name = try #require(MarkdownTable.code(in: row[0]).first)
            let make = try #require(fromOne[name], "\(name)")
            let failed = make(Future(error: Broken()))
            let isSame = if case .failure(is Broken)? = failed.result { true } else { false }
            #expect(row[3] == (isSame ? "the same error" : "the closure decides"), "\(name)")

            let (source, stopped) = (Promise<Int>(), ExampleLog())
            source.onCancel(stopped.adder("stopped"))
            make(source).cancel()
            let goesOn = stopped.lines.isEmpty
            let expected = goesOn ? "the future goes on" : "the future is given up"
            #expect(row[4] == expected, "\(name)")
        }
    }

    /// Each function of several futures of one type.
    private let fromSeveral: [String: @Sendable ([Future<Int>]) -> Future<Int>] = [
        "all(_:)": { Future.all($0).map(\.count) },
        "allSettled(_:)": { Future.allSettled($0).map(\.count) },
        "any(_:)": { Future.any($0) },
        "race(_:)": { Future.race($0) },
        "traverse(_:maxConcurrent:_:)": { Future.traverse($0) { $0 }.map(\.count) },
    ]
    /// Those of two futures, whose types may differ.
    private let fromTwo: [String: @Sendable (Future<Int>, Future<Int>) -> Future<Int>] = [
        "zip(_:)": { zip($0, $1).map { $0 + $1 } }
    ]

    @Test func whatSeveralFuturesDo() throws {
        let table = sheet.tables[1]
        #expect(table.rows.count == fromSeveral.count + fromTwo.count + 2)
        for row in table.rows {
            let name = try #require(MarkdownTable.code(in: row[0]).first)
            let (pending, stopped) = (Promise<Int>(), ExampleLog())
            pending.onCancel(stopped.adder("stopped"))
            let broken = Future<Int>(error: Broken())
            let ofOneType = fromSeveral[name]?([pending, broken])
            guard let made = ofOneType ?? fromTwo[name]?(pending, broken) else {
                #expect(["asCompleted(_:)", "retry(attempts:after:on:where:_:)"].contains(name))
                continue
            }
            let isDecided = made.isSettled && stopped.lines == ["stopped"]
            let expected = isDecided ? "fails, and gives up the others" : "waits for the others"
            #expect(row[2] == "it \(expected)", "\(name)")
            guard let ofNothing = fromSeveral[name]?([]) else {
                #expect(row[3] == "–", "\(name)")
                continue
            }
            let code = (ofNothing.result?.failure as? FutureError)?.code.rawValue
            #expect(row[3] == "`\(code ?? "[]")`", "\(name)")
        }
    }

    @Test func asCompletedWaitsForAllAndIsEmptyOfNothing() async {
        let row = sheet.tables[1].rows.last ?? []
        #expect(row.first == "`asCompleted(_:)`")
        #expect(row.suffix(2) == ["it waits for the others", "an empty sequence"])
        var count = 0
        for await _ in Future.asCompleted([Future<Int>(error: Broken()), Future(value: 1)]) {
            count += 1
        }
        for await _ in Future.asCompleted([Future<Int>]()) { count += 10 }
        #expect(count == 2)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
