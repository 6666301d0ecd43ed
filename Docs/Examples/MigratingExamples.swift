// snippet: imports
import Foundation
import Pledge
// end snippet
import Testing

/// Pledge's side of the ten rows of Docs/Guides/Migrating.md.
@Suite struct MigratingExamples {
    // snippet: user
    struct User: Equatable, Sendable {
        var id = 7
        var name = "Ada"
    }

    struct Gone: Error {}
    // end snippet

    private let loadUser: @Sendable (Int) -> Future<User> = { id in
        id > 0 ? Future(value: User(id: id)) : Future(error: Gone())
    }

    private let loadOrders: @Sendable (User) -> Future<[Int]> = { user in
        Future(value: [user.id, user.id + 1])
    }

    @Test func wrapping() async throws {
        // snippet: wrap
        let fetch = {
            @Sendable (id: Int, completion: @Sendable (User?, Gone?) -> Void) in
            if id > 0 { completion(User(id: id), nil) } else { completion(nil, Gone()) }
        }

        let loadUser = { @Sendable (id: Int) -> Future<User> in
            Future.make { resolver in
                fetch(id) { user, error in
                    if let user { resolver.resolve(with: user) }
                    if let error { resolver.reject(with: error) }
                }
            }
        }
        // end snippet
        #expect(try await loadUser(7).value.id == 7)
        await #expect(throws: Gone.self) { try await loadUser(0).value }
    }

    @Test func known() throws {
        // snippet: known
        let ada = Future(value: User())
        let nobody = Future<User>(error: Gone())
        // end snippet
        #expect(try ada.result?.get() == User())
        #expect(throws: Gone.self) { try nobody.result?.get() }
    }

    @Test @MainActor func using() async throws {
        let done = Promise<Void>()
        // snippet: use
        @MainActor final class Label {
            var text = ""
        }

        let label = Label()
        loadUser(7).observe(on: MainActor.shared) { result in
            switch result {
            case .success(let user): label.text = user.name
            case .failure(let error): label.text = "\(error)"
            }
        }
        // end snippet
        loadUser(7).observe(on: MainActor.shared) { _ in done.resolve() }
        try await done.value
        #expect(label.text == "Ada")
    }

    @Test func transforming() async throws {
        // snippet: map
        let name = loadUser(7).map { user in user.name.uppercased() }
        // end snippet
        #expect(try await name.value == "ADA")
    }

    @Test func oneAfterTheOther() async throws {
        // snippet: then
        let loadOrders = { @Sendable (user: User) in Future(value: [user.id, user.id + 1]) }
        let orders = loadUser(7).flatMap { user in loadOrders(user) }
        // end snippet
        #expect(try await orders.value == [7, 8])
    }

    @Test func atOnce() async throws {
        // snippet: both
        let pair = zip(loadUser(7), loadOrders(User()))
        let users = Future.all([7, 8, 9].map(loadUser))
        // end snippet
        #expect(try await pair.value.1 == [7, 8])
        #expect(try await users.value.map(\.id) == [7, 8, 9])
    }

    @Test func recovering() async throws {
        // snippet: recover
        let guest = loadUser(0).recover { error in User(id: 0, name: "Guest") }
        // end snippet
        #expect(try await guest.value.name == "Guest")
    }

    @Test func cleaningUp() async throws {
        let log = ExampleLog()
        let print: @Sendable (String) -> Void = { log.add($0) }
        // snippet: always
        loadUser(7).always { print("hide the spinner") }
        // end snippet
        #expect(log.lines == ["hide the spinner"])
    }

    @Test func inTime() async throws {
        // snippet: timeout
        let user = loadUser(7).timeout(.seconds(2))
        // end snippet
        #expect(try await user.value == User())
    }

    @Test func cancelling() async throws {
        let log = ExampleLog()
        let print: @Sendable (String) -> Void = { log.add($0) }
        // snippet: cancel
        let endpoint = Endpoint(path: "/users/7", base: URL(string: "https://shop.example"))
        let networking: Networking = { _ in
            let promise = Promise<Data>()
            promise.onCancel { print("stopped") }
            return promise
        }

        let download = networking(endpoint)
        let size = download.map { data in data.count }
        size.cancel()  // nobody else waits, so the download stops
        // end snippet
        #expect(log.lines == ["stopped"])
        await #expect(throws: CancellationError.self) { try await size.value }
    }

    @Test(arguments: [OtherInputs.givenUp, .keptGoing])
    func losersOfARace(_ others: OtherInputs) throws {
        let answer = Promise<Data>()
        let networking: Networking = { _ in answer }
        let endpoint = Endpoint(path: "/users/7")
        guard others == .keptGoing else {
            // snippet: losers
            let cached = Future(value: 7)
            let fresh = networking(endpoint).map { data in data.count }
            let first = Future.race([cached, fresh])  // `fresh` has CancellationError
            // end snippet
            #expect(try first.result?.get() == 7)
            #expect(throws: CancellationError.self) { try fresh.result?.get() }
            return
        }
        let cached = Future(value: 7)
        // snippet: others
        let fresh = networking(endpoint).map { data in data.count }
        let first = Future.race([cached, fresh], others: .keptGoing)  // `fresh` goes on
        // end snippet
        #expect(try first.result?.get() == 7)
        answer.resolve(with: Data("{}".utf8))
        #expect(try fresh.result?.get() == 2)
    }
}
