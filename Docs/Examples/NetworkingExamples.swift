import Foundation
import Pledge
import Testing

// snippet: endpoint
struct Book: Codable, Equatable, Sendable {
    var id: Int
    var name: String
}

extension Endpoint {
    static func book(withID id: Int) -> Endpoint {
        Endpoint(path: "/books/\(id)")
    }

    static func search(for words: String, page: Int = 1) -> Endpoint {
        Endpoint(
            path: "/search",
            queryItems: [
                URLQueryItem(name: "q", value: words),
                URLQueryItem(name: "page", value: "\(page)"),
            ]
        )
    }
}
// end snippet

/// The code of Docs/Guides/Networking.md.
@Suite struct NetworkingExamples {
    private let book = Book(id: 7, name: "Green Grass")

    private struct Login: Encodable {
        var user: String
        var password: String
    }

    @Test func base() {
        // snippet: base
        let server = URL(string: "https://api.example.com/v1")!
        let search = Endpoint.based(on: server)(.search(for: "50% off & more"))
        // search.url is https://api.example.com/v1/search?q=50%25%20off%20%26%20more&page=1
        // end snippet
        #expect(
            search.url?.absoluteString
                == "https://api.example.com/v1/search?q=50%25%20off%20%26%20more&page=1"
        )
    }

    @Test func baseOfAll() throws {
        let transport = MemoryTransport(routes: [.get("/books/:id", answer: .json(book))])
        let server = URL(string: "https://api.example.com/v1")!
        // snippet: base-of-all
        let api: Networking = chain(Endpoint.based(on: server), to: transport.request)
        // end snippet
        _ = api(.book(withID: 7))
        let url = transport.calls.first?.endpoint.url
        #expect(url?.absoluteString == "https://api.example.com/v1/books/7")
    }

    @Test func whole() throws {
        // snippet: whole
        let next = Endpoint(url: URL(string: "https://api.example.com/books?after=7")!)
        // end snippet
        #expect(next.url?.query() == "after=7")
    }

    @Test func bodies() throws {
        let login = Login(user: "me", password: "secret")
        let pixels = Data([1, 2, 3])
        // snippet: bodies
        let json = Endpoint(path: "/login", method: .post, body: try .json(login))
        let form = Endpoint(
            path: "/login",
            method: .post,
            body: .form([URLQueryItem(name: "user", value: "me & you")])
        )
        let image = Endpoint(
            path: "/avatar",
            method: .put,
            headers: ["If-Match": "*"],
            body: .data(pixels, contentType: "image/png")
        )
        // end snippet
        #expect(json.effectiveHeaders["Content-Type"] == "application/json")
        #expect(form.body.data == Data("user=me+%26+you".utf8))
        #expect(image.effectiveHeaders == ["If-Match": "*", "Content-Type": "image/png"])
    }

    @Test func refused() throws {
        // snippet: refused
        let token = "abc\r\nX-Admin: yes"
        let endpoint = Endpoint(path: "/me", headers: ["Authorization": token])

        do {
            _ = try endpoint.validate()
        } catch {
            print(error)  // the header "Authorization" cannot be sent: …
        }
        // end snippet
        let refusal = Endpoint.Error.invalidHeader(name: "Authorization")
        #expect(throws: refusal) { try endpoint.validate() }
        #expect(refusal.description.hasPrefix("the header \"Authorization\" cannot be sent: "))
    }

    @Test func decoded() throws {
        let networking: Networking = { _ in Future(value: Data(#"{"id":7,"name":"x"}"#.utf8)) }
        // snippet: decoded
        let load = chain(Endpoint.book, to: networking)  // (Int) -> Future<Data>
        let loadBook: @Sendable (Int) -> Future<Book> = chain(load, to: Future.decoded)
        let sameBook = chain(load, to: { $0.decoded(as: Book.self, using: JSONDecoder()) })
        // end snippet
        #expect(try loadBook(7).result?.get() == Book(id: 7, name: "x"))
        #expect(try sameBook(7).result?.get() == Book(id: 7, name: "x"))
    }

    @Test func decodingFailure() async throws {
        let networking: Networking = { _ in
            Future(value: Data(#"[{"id":7,"name":"x"},{"id":8}]"#.utf8))
        }
        // snippet: decoding-failure
        let books: Future<[Book]> = networking(Endpoint(path: "/books")).decoded()

        do {
            _ = try await books.value
        } catch let failure as DecodingFailure {
            print(failure)  // Array<Book>[1].name: no value for the key "name" (in 30 bytes)
            print(failure.data.count, failure.cause)
        }
        // end snippet
        let failure = try #require(throws: DecodingFailure.self) { try books.result?.get() }
        #expect(
            failure.description
                == #"Array<Book>[1].name: no value for the key "name" (in 30 bytes)"#
        )
    }

    @Test func httpError() async throws {
        let transport = MemoryTransport(routes: [
            .get("/books/:id", answer: .status(404, body: Data("sold out".utf8)))
        ])
        let networking: Networking = transport.request
        // snippet: http-error
        do {
            _ = try await networking(.book(withID: 7)).value
        } catch let error as HTTPError where error.status == 404 {
            print(error)  // GET /books/7 answered 404 (8 bytes in its body): sold out
            print(error.response?.text ?? "")  // sold out
        }
        // end snippet
        let error = try #require(throws: HTTPError.self) {
            try networking(.book(withID: 7)).result?.get()
        }
        #expect(error.description == "GET /books/7 answered 404 (8 bytes in its body): sold out")
        #expect(error.response?.text == "sold out")
    }
}
