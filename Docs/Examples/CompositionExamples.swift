// snippet: imports
import Foundation
import Pledge
import PledgeArticles
import Testing

// end snippet

/// The code of Docs/Guides/Composition.md.
@Suite struct CompositionExamples {
    // snippet: books
    struct Book: Codable, Equatable {
        var id: Int
        var title: String

        func label() -> String { "\(id): \(title)" }
    }

    /// A network in which every book is about tea.
    let networking: Networking = { endpoint in
        let id = endpoint.path.split(separator: "/").last ?? ""
        return Future(value: Data(#"{"id": \#(id), "title": "Tea"}"#.utf8))
    }
    let loadBook: @Sendable (Int) -> Future<Book> = { id in
        Future(value: Book(id: id, title: "Tea"))
    }
    let searchBooks: @Sendable (String, Int) -> Future<[Book]> = { word, limit in
        Future(value: (1...limit).map { Book(id: $0, title: word) })
    }
    // end snippet

    let tea = Book(id: 7, title: "Tea")

    @Test func combineOne() async throws {
        // snippet: combine
        let load = combine(7, with: loadBook)  // @Sendable () -> Future<Book>
        let book = try await load().value
        // end snippet
        #expect(book == tea)
    }

    @Test func combineSeveral() async throws {
        // snippet: several
        let search = combine("Tea", 2, with: searchBooks)
        let books = try await search().value
        // end snippet
        #expect(books.map(\.id) == [1, 2])
    }

    @Test func chainOfThrowing() async throws {
        // snippet: throwing
        let rename = chain(Endpoint.renaming, to: networking)  // (String) -> Future<Data>
        // end snippet
        #expect(try await rename("Tea").value == Data(#"{"id": 7, "title": "Tea"}"#.utf8))
    }

    @Test func chainToFunction() async throws {
        // snippet: chain
        let loadData = chain(Endpoint.bookByID, to: networking)  // (Int) -> Future<Data>
        // end snippet
        #expect(try await loadData(3).value == Data(#"{"id": 3, "title": "Tea"}"#.utf8))
    }

    @Test func chainToMethod() async throws {
        let loadData = chain(Endpoint.bookByID, to: networking)
        // snippet: curried
        let loadBook = chain(loadData, to: Future.decoded(as: Book.self))
        // end snippet
        #expect(try await loadBook(7).value == tea)
    }

    @Test func oneFunction() async throws {
        // snippet: one-function
        func bookLoading(over networking: @escaping Networking) -> @Sendable (Int) -> Future<Book> {
            let loadData = chain(Endpoint.bookByID, to: networking)
            return chain(loadData, to: Future.decoded(as: Book.self))
        }
        // end snippet
        #expect(try await bookLoading(over: networking)(7).value == tea)
    }

    @Test func stub() async throws {
        // snippet: stub
        let loading: () -> Future<Book> = { Future(value: Book(id: 7, title: "Tea")) }
        // end snippet
        #expect(try await loading().value == tea)
    }

    @Test func composeIsChain() {
        // snippet: compose
        let increment: @Sendable (Int) -> Int = { value in value + 1 }
        let multiply: @Sendable (Int) -> Int = { value in value * value }

        #expect(chain(multiply, to: increment)(10) == 101)
        #expect(compose(multiply, and: increment)(10) == 101)
        #expect(compose(multiply, increment)(10) == 101)
        // end snippet
    }

    @Test func steps() {
        // snippet: steps
        let words = chain({ (text: String) in text.lowercased() }, to: { $0.split(separator: " ") })
        let counted = chain(words, to: { $0.count })
        let told = chain(counted, to: { "\($0) words" })
        #expect(told("Tea for two") == "3 words")
        // end snippet
    }
}

// snippet: endpoint
extension Endpoint {
    static func bookByID(_ id: Int) -> Endpoint { Endpoint(path: "/books/\(id)") }

    static func renaming(toTitle title: String) throws -> Endpoint {
        Endpoint(path: "/books/7", method: .put, body: try .json(["title": title]))
    }
}
// end snippet
