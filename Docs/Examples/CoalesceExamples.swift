// snippet: imports
import Foundation
import Pledge
// end snippet
import Testing

/// The code of Docs/Policies/Coalesce.md.
@Suite struct CoalesceExamples {
    @Test func usage() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: usage
        let scheduler = ManualScheduler()
        let loadProduct: Service<Int, String> = { id in
            print("asked for \(id)")
            return Future(value: "iPad Pro").delay(.milliseconds(20), on: scheduler)
        }
        let load = stack(.coalesce(), over: loadProduct)

        let list = load(7)
        let detail = load(7)
        list.cancel()
        detail.observe { result in print("\(result)") }
        scheduler.run()
        // end snippet
        #expect(lines.lines == ["asked for 7", "success(\"iPad Pro\")"])
    }

    @Test func http() {
        let scheduler = ManualScheduler()
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: http
        let orders = URL(string: "https://shop.example.com/orders")!
        let transport: HTTPService = { request in
            print("asked: \(request.method)")
            return Future(value: HTTPResponse(status: 200))
                .delay(.milliseconds(20), on: scheduler)
        }
        let service = stack(.coalesceSafeRequests(), .retry(on: scheduler), over: transport)

        for method in [HTTPMethod.get, .get, .post, .post] {
            _ = service(HTTPRequest(method, orders))
        }
        scheduler.run()
        // end snippet
        #expect(lines.lines == ["asked: GET", "asked: POST", "asked: POST"])
    }

    @Test func group() {
        let scheduler = ManualScheduler()
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: group
        struct Query: Sendable {
            var words: String
            var user: Int
            /// The answer depends on both; the case of the letters makes no difference.
            var key: [String] { [words.lowercased(), "\(user)"] }
        }

        let send: Service<Query, String> = { query in
            print("asked for \(query.words)")
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
        #expect(lines.lines == ["asked for Green", "asked for green"])
        #expect(calls.allSatisfy { (try? $0.result?.get()) == "3 hits" })
    }
}
