import Pledge
import PledgeStores
// snippet: feed-test-imports
import PledgeTesting
import Testing

// end snippet

// snippet: feed-tests
@Suite struct FeedTests {
    let network = MockNetwork()
    let clock = ManualScheduler()
    let a = Post(id: 1, title: "a")
    let b = Post(id: 2, title: "b")
    let c = Post(id: 3, title: "c")

    func store(_ feed: Feed = Feed()) -> TestStore<Feed, Feed.Event> {
        var client = HTTPClient(base: URL(string: "https://feed.example")!, over: network)
        client.scheduler = clock
        client.retry = nil
        let service = FeedService(client: client)
        return TestStore(initialState: feed, reducer: Reducer(effects: service.reduce))
    }

    @Test func loadsAndRefreshes() throws {
        let (store, page) = (store(), PostPage(posts: [a], next: 2))
        store.send(.appeared) { $0.posts = .loading() }
        try network.next().answer(with: .json(page))
        store.receive(.loaded(.success(page))) { ($0.posts, $0.next) = (.loaded([a]), 2) }
        store.send(.pulled) { $0.posts = .loading(previous: [a]) }
        try network.next().answer(with: .status(503))
        store.receive(.loaded(.failure(trouble(503)))) {
            ($0.posts, $0.next) = (.failed(trouble(503), previous: [a]), nil)
        }
        try finish(store)
    }

    @Test func loadsTheNextPageOnce() throws {
        let (store, page) = (store(Feed(posts: .loaded([a]), next: 2)), PostPage(posts: [b, c]))
        store.send(.reachedEnd) { $0.isLoadingMore = true }
        store.send(.reachedEnd)
        let call = try network.next()
        #expect(call.request?.url.absoluteString == "https://feed.example/posts?q=&page=2")
        call.answer(with: .json(page))
        store.receive(.loadedMore(.success(page))) {
            ($0.posts, $0.next, $0.isLoadingMore) = (.loaded([a, b, c]), nil, false)
        }
        try finish(store)
    }

    @Test func takesBackALikeThatFails() throws {
        let store = store(Feed(posts: .loaded([a, b])))
        store.send(.liked(1)) { $0.like(1, true) }
        try network.next().answer(with: .status(500))
        store.receive(.likeSent(1, was: false, .failure(trouble(500)))) {
            ($0.posts, $0.banner) = (.loaded([a, b]), "The server answered 500.")
        }
        try finish(store)
    }

    @Test func searchesForTheLastWordOnly() throws {
        let (store, page) = (store(), PostPage(posts: [b]))
        store.send(.typed("m")) { ($0.query, $0.posts) = ("m", .loading()) }
        clock.advance(by: .milliseconds(300))
        let early = try network.next()
        store.send(.typed("mo")) { $0.query = "mo" }
        store.send(.typed("mom")) { $0.query = "mom" }
        #expect(early.isCancelled)
        clock.advance(by: .milliseconds(300))
        try network.next().answer(with: .json(page))
        store.receive(.loaded(.success(page))) { $0.posts = .loaded([b]) }
        try finish(store)
    }

    @Test func deletesUnlessItIsUndone() throws {
        let store = store(Feed(posts: .loaded([a, b])))
        store.send(.deleted(1)) { $0.deleted = [1] }
        #expect(store.state.shown == [b])
        clock.advance(by: .seconds(4))
        store.send(.undone) { $0.deleted = [] }
        clock.advance(by: .seconds(10))
        store.send(.deleted(2)) { $0.deleted = [2] }
        clock.advance(by: .seconds(5))
        store.receive(.undoEnded(2)) { ($0.deleted, $0.posts) = ([], .loaded([a])) }
        try network.next().answer(with: .status(204))
        store.receive(.deletionSent(.success(Data())))
        try finish(store)
    }

    private func finish(_ store: TestStore<Feed, Feed.Event>) throws {
        store.finish()
        try network.finish()
    }

    private func trouble(_ status: Int) -> Trouble {
        Trouble(HTTPError(code: .unacceptableStatus, response: HTTPResponse(status: status)))
    }
}
// end snippet

/// What the page does not show.
extension FeedTests {
    @Test func aDeletionThatFailsLoadsAgain() throws {
        let (store, page) = (store(Feed(posts: .loaded([a, b]))), PostPage(posts: [a, b]))
        store.send(.deleted(1)) { $0.deleted = [1] }
        clock.advance(by: .seconds(5))
        store.receive(.undoEnded(1)) { ($0.deleted, $0.posts) = ([], .loaded([b])) }
        try network.next().answer(with: .failure(HTTPError(code: .connectionLost)))
        let lost = Trouble(HTTPError(code: .connectionLost))
        store.receive(.deletionSent(.failure(lost))) {
            ($0.posts, $0.banner) = (.loading(previous: [b]), "The server cannot be reached.")
        }
        try network.next().answer(with: .json(page))
        store.receive(.loaded(.success(page))) { $0.posts = .loaded([a, b]) }
        try finish(store)
    }

    @Test func aNextPageThatFailsCanBeAskedForAgain() throws {
        let store = store(Feed(posts: .loaded([a]), next: 2))
        store.send(.reachedEnd) { $0.isLoadingMore = true }
        try network.next().answer(with: .status(503))
        store.receive(.loadedMore(.failure(trouble(503)))) {
            ($0.isLoadingMore, $0.banner) = (false, "The server answered 503.")
        }
        store.send(.reachedEnd) { $0.isLoadingMore = true }
        // A new search replaces the page that is on its way.
        let page = try network.next()
        store.send(.typed("x")) {
            ($0.query, $0.posts, $0.isLoadingMore) = ("x", .loading(previous: [a]), false)
        }
        #expect(page.isCancelled)
        clock.advance(by: .milliseconds(300))
        try network.next().answer(with: .json(PostPage(posts: [])))
        store.receive(.loaded(.success(PostPage(posts: [])))) {
            ($0.posts, $0.next) = (.loaded([]), nil)
        }
        try finish(store)
    }

    @Test func aLikeThatSucceedsStays() throws {
        let store = store(Feed(posts: .loaded([a])))
        store.send(.liked(1)) { $0.like(1, true) }
        let call = try network.next()
        #expect(call.request?.method == .put)
        call.answer(with: .status(204))
        store.receive(.likeSent(1, was: false, .success(Data())))
        store.send(.liked(1)) { $0.like(1, false) }
        let back = try network.next()
        #expect(back.request?.method == .delete)
        back.answer(with: .status(204))
        store.receive(.likeSent(1, was: true, .success(Data())))
        store.send(.undone)
        store.send(.liked(9))
        try finish(store)
    }
}
