import Foundation
import Pledge
import Testing

/// The code of Docs/Policies/Coalesce.md.
@Suite struct CoalesceExamples {
    @Test func usage() {
        let scheduler = ManualScheduler()
        let lines = ExampleLog()
        let log: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: usage
        let loadProduct: Service<Int, String> = { id in
            log("asked for \(id)")
            return Future(value: "iPad Pro").delay(.milliseconds(20), on: scheduler)
        }
        let load = stack(.coalesce(), over: loadProduct)

        let list = load(7)
        let detail = load(7)
        list.cancel()
        detail.observe { result in log("\(result)") }
        // end snippet
        scheduler.run()
        #expect(lines.lines == ["asked for 7", "success(\"iPad Pro\")"])
    }

    @Test func http() throws {
        let scheduler = ManualScheduler()
        let lines = ExampleLog()
        let orders = try #require(URL(string: "https://shop.example.com/orders"))
        let transport: HTTPService = { request in
            lines.add("asked: \(request.method)")
            return Future(value: HTTPResponse(status: 200))
                .delay(.milliseconds(20), on: scheduler)
        }
        // snippet: http
        let service = stack(.coalesce(by: .safeRequest), .retry(on: scheduler), over: transport)

        for method in [HTTPMethod.get, .get, .post, .post] {
            _ = service(HTTPRequest(method, orders))
        }
        // end snippet
        scheduler.run()
        #expect(lines.lines == ["asked: GET", "asked: POST", "asked: POST"])
    }

    @Test func group() {
        let scheduler = ManualScheduler()
        let asked = ExampleLog()
        // snippet: group
        struct Query: Sendable {
            var words: String
            var user: Int
            /// The answer depends on both; the case of the letters makes no difference.
            var key: [String] { [words.lowercased(), "\(user)"] }
        }

        let send: Service<Query, String> = { query in
            asked.add(query.words)
            return Future(value: "3 hits").delay(.milliseconds(20), on: scheduler)
        }
        let group = Coalescer<[String], String>()
        let search = stack(
            .deadline(.seconds(2), on: scheduler),
            .coalesce(by: \.key, sharing: group), over: send)
        let export = stack(
            .deadline(.seconds(60), on: scheduler),
            .coalesce(by: \.key, sharing: group), over: send)
        // end snippet
        let calls = [
            search(Query(words: "Green", user: 1)), export(Query(words: "green", user: 1)),
            search(Query(words: "green", user: 2)),
        ]
        scheduler.run()
        #expect(asked.lines == ["Green", "green"])
        #expect(calls.allSatisfy { (try? $0.result?.get()) == "3 hits" })
    }
}
