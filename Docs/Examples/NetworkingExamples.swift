// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeTesting
import TestSupport
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
        Endpoint(path: "/search?q=\(words)&page=\(page)")
    }
}
// end snippet

/// The code of Docs/Guides/Networking.md.
@Suite(.oneAtATime) struct NetworkingExamples {
    // snippet: server
    let server = URL(string: "https://api.example.com/v1")!
    // end snippet

    /// Stands in for the wire.
    private enum URLSession {
        static let shared = MemoryTransport(routes: [
            .get("/books/7", answer: .json(Book(id: 7, name: "Green Grass"))),
            .get("/books/8", answer: .status(404, body: Data("sold out".utf8))),
            .get("/books", answer: .text(#"[{"id":7,"name":"x"},{"id":8}]"#)),
            .get("/accept", answer: .reply { Data("\($0.endpoint.headers)".utf8) }),
            .post("/orders", answer: .text(#"{"order_number":7}"#)),
            .post(
                "/payments",
                answer: .status(
                    403, headers: ["Content-Type": "application/problem+json"],
                    body: Data(
                        #"""
                        {"type": "https://shop.example/out-of-credit", "balance": 30,
                        "detail": "your balance is 30"}
                        """#.utf8))),
        ])
    }

    private var api: Networking {
        chain(Endpoint.based(on: server), to: URLSession.shared.request)
    }

    @Test func base() throws {
        // snippet: base
        let api: Networking = chain(Endpoint.based(on: server), to: URLSession.shared.request)
        // end snippet
        let endpoint = try #require(throws: HTTPError.self) {
            try api(.book(withID: 8)).result?.get()
        }.request
        #expect(endpoint?.url.absoluteString == "https://api.example.com/v1/books/8")
        // snippet: search
        let search = Endpoint.based(on: server)(.search(for: "50% off & more"))
        // search.url is https://api.example.com/v1/search?q=50%25%20off%20%26%20more&page=1
        // end snippet
        #expect(
            search.url?.absoluteString
                == "https://api.example.com/v1/search?q=50%25%20off%20%26%20more&page=1"
        )
    }

    @Test func paths() {
        // snippet: paths
        let tenant = "red/blue?x=1"
        let items = Endpoint(path: "/\(tenant)/items", base: server)
        // items.url is https://api.example.com/v1/red%2Fblue%3Fx=1/items

        let text = "/a?b"
        let file = Endpoint(path: text, base: server)  // all of it is a path: /v1/a%3Fb
        let link = Endpoint(path: "\(verbatim: text)", base: server)  // read as a literal: /v1/a?b
        // end snippet
        #expect(
            [items, file, link].map(\.url?.absoluteString) == [
                "https://api.example.com/v1/red%2Fblue%3Fx=1/items",
                "https://api.example.com/v1/a%3Fb", "https://api.example.com/v1/a?b",
            ])
    }

    @Test func whole() throws {
        // snippet: whole
        let next = Endpoint(url: URL(string: "https://api.example.com/books?after=7")!)
        // end snippet
        #expect(next.url?.query() == "after=7")
    }

    @Test func bodies() throws {
        // snippet: bodies
        let book = Book(id: 7, name: "Green Grass")
        let json = Endpoint(path: "/books", method: .post, body: try .json(book))
        let form = Endpoint(
            path: "/login",
            method: .post,
            body: .form(["user": "me & you"])
        )
        let signature = Data([0x89, 0x50, 0x4E, 0x47])
        let image = Endpoint(
            path: "/avatar",
            method: .put,
            headers: ["If-Match": "*"],
            body: .data(signature, contentType: "image/png")
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
        // snippet: decoded
        let load = chain(Endpoint.book, to: api)  // (Int) -> Future<Data>
        let loadBook: @Sendable (Int) -> Future<Book> = chain(
            load, to: Future.decoded(as: Book.self))
        let sameBook = chain(load, to: { $0.decoded(as: Book.self) })
        // end snippet
        #expect(try loadBook(7).result?.get() == Book(id: 7, name: "Green Grass"))
        #expect(try sameBook(7).result?.get() == Book(id: 7, name: "Green Grass"))
    }

    // snippet: order
    struct Order: Codable {
        var productName: String
    }

    struct Receipt: Codable {
        var orderNumber: Int
    }
    // end snippet

    @Test func json() throws {
        // snippet: json
        let json = JSONCoding(
            encoding: { $0.keyEncodingStrategy = .convertToSnakeCase },
            decoding: { $0.keyDecodingStrategy = .convertFromSnakeCase })
        let order = Order(productName: "Tea")
        let endpoint = Endpoint(path: "/orders", method: .post, body: try .json(order, using: json))
        let receipt: Future<Receipt> = api(endpoint).decoded(using: json)
        // end snippet
        #expect(endpoint.body.data == Data(#"{"product_name":"Tea"}"#.utf8))
        #expect(try receipt.result?.get().orderNumber == 7)
    }

    @Test func decodingFailure() async throws {
        let printed = ExampleLog()
        let print = { (texts: Any...) in printed.add(texts.map { "\($0)" }.joined(separator: " ")) }
        // snippet: decoding-failure
        let books: Future<[Book]> = api(Endpoint(path: "/books")).decoded()

        do {
            _ = try await books.value
        } catch let failure as DecodingFailure {
            print(failure)  // Array<Book>[1].name: no value for the key "name" (in 30 bytes)
            print(failure.data.count, failure.cause)
        }
        // end snippet
        #expect(
            printed.lines.first
                == #"Array<Book>[1].name: no value for the key "name" (in 30 bytes)"#
        )
    }

    @Test func httpError() async throws {
        let printed = ExampleLog()
        let print = { (text: Any) in printed.add("\(text)") }
        // snippet: http-error
        do {
            _ = try await api(.book(withID: 8)).value
        } catch let error as HTTPError where error.status == 404 {
            print(error)
            // GET https://api.example.com/v1/books/8 answered 404 (8 bytes in its body): sold out
            print(error.response?.text ?? "")  // sold out
        }
        // end snippet
        #expect(
            printed.lines == [
                "GET https://api.example.com/v1/books/8 answered 404 (8 bytes in its body): sold out",
                "sold out",
            ])
    }

    @Test func problem() async throws {
        let printed = ExampleLog()
        let print = { (text: Any) in printed.add("\(text)") }
        // snippet: problem
        do {
            _ = try await api(Endpoint(path: "/payments", method: .post)).value
        } catch let error as HTTPError {
            let problem = error.problem
            if problem?.type == "https://shop.example/out-of-credit" {
                print(problem?.detail ?? "")  // your balance is 30
                print(problem?.extensions["balance"] == .integer(30))  // true
            }
        }
        // end snippet
        #expect(printed.lines == ["your balance is 30", "true"])
    }

    @Test func headers() throws {
        // snippet: headers
        let shop = stack(
            .defaultHeaders(["Accept": "application/json"]), .userAgent("Shop/2.1"), over: api)
        // end snippet
        let sent = try shop(Endpoint(path: "/accept")).settledValue()
        #expect(String(decoding: sent, as: UTF8.self).contains("Shop/2.1"))
    }
}
