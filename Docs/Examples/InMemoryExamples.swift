import Foundation
import Pledge
// snippet: stubs
import PledgeTesting
// end snippet
// snippet: testing
import Testing

// end snippet

/// The code of the part of Docs/Guides/Networking.md that is about the in-memory transport.
@Suite struct InMemoryExamples {
    // snippet: book
    let book = Book(id: 7, name: "Green Grass")
    // end snippet

    @Test func routes() throws {
        // snippet: routes
        let transport = MemoryTransport(routes: [
            .get("/books/:id", answer: .json(book)),
            .get("/search", query: ["q": "nothing"], answer: .text("[]")),
            .get("/search", query: ["q": nil], answer: .json([book])),
            .post("/login", answer: .status(401, body: Data("who are you?".utf8))),
            .get(
                "/hello/:name",
                answer: .reply { call in Data("Hello \(call.parameters["name"]!)".utf8) }
            ),
        ])
        let networking: Networking = transport.request
        // end snippet
        #expect(
            try networking(.book(withID: 7)).decoded(as: Book.self).result?.get() == book
        )
        #expect(try networking(.search(for: "nothing")).result?.get() == Data("[]".utf8))
        #expect(
            try networking(.search(for: "Grass")).decoded(as: [Book].self).result?.get()
                == [book]
        )
        #expect(
            try networking(Endpoint(path: "/hello/a b")).result?.get() == Data("Hello a b".utf8)
        )
        let login = networking(Endpoint(path: "/login", method: .post))
        #expect(throws: HTTPError.self) { try login.result?.get() }
    }

    @Test func calls() throws {
        let transport = MemoryTransport(routes: [.get("/books/:id", answer: .json(book))])
        // snippet: calls
        _ = transport.request(.book(withID: 7))
        #expect(transport.calls.map(\.endpoint) == [.book(withID: 7)])
        #expect(transport.calls.first?.parameters == ["id": "7"])
        // end snippet
    }

    @Test func sequence() throws {
        // snippet: sequence
        let transport = MemoryTransport(routes: [
            .get("/books/:id", answer: .sequence([.status(503), .json(book)]))
        ])
        let first = transport.request(.book(withID: 7))  // rejects with an HTTPError, 503
        let second = transport.request(.book(withID: 7))  // the book
        let third = transport.request(.book(withID: 7))  // the book again
        // end snippet
        #expect(throws: HTTPError.self) { try first.result?.get() }
        #expect(try second.decoded(as: Book.self).result?.get() == book)
        #expect(try third.decoded(as: Book.self).result?.get() == book)
    }

    @Test func latency() throws {
        // snippet: latency
        let scheduler = ManualScheduler()
        let transport = MemoryTransport(
            routes: [.get("/books/:id", answer: .json(book))],
            latency: .milliseconds(20),
            failures: .init(chance: 0.1, using: SeededGenerator(seed: 7)),
            on: scheduler
        )

        let loading = transport.request(.book(withID: 7))
        #expect(loading.result == nil)
        scheduler.advance(by: .milliseconds(20))
        #expect(loading.result != nil)
        // end snippet
        #expect(try loading.decoded(as: Book.self).result?.get() == book)
    }

    @Test func unmatched() throws {
        // snippet: unmatched
        let transport = MemoryTransport(routes: [
            .get("/books/:id", answer: .json(book)), .post("/login", answer: .status(401)),
        ])
        transport.request(Endpoint(path: "/boks/7")).observe { result in
            if case .failure(let error) = result { print(error) }
            // no route answers GET /boks/7
            // nearest: GET /books/:id (segment 1 is "boks", not "books")
            // routes:
            //   GET /books/:id
            //   POST /login
        }
        // end snippet
        let error = try #require(throws: MemoryTransport.UnmatchedCall.self) {
            try transport.request(Endpoint(path: "/boks/7")).result?.get()
        }
        #expect(
            error.description == """
                no route answers GET /boks/7
                nearest: GET /books/:id (segment 1 is "boks", not "books")
                routes:
                  GET /books/:id
                  POST /login
                """
        )
    }
}
