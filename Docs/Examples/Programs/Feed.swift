// snippet: feed
import Pledge
import PledgeStores

struct Post: Codable, Equatable, Identifiable, Sendable {
    var id: Int
    var title: String
    var isLiked = false
}

struct PostPage: Codable, Equatable, Sendable {
    var posts: [Post]
    var next: Int?
}

struct Trouble: Error, Equatable {
    var text: String

    init(_ error: any Error) {
        let status = (error as? HTTPError)?.status
        text = status.map { "The server answered \($0)." } ?? "The server cannot be reached."
    }
}

struct Feed: Equatable, Sendable {
    enum Event: Equatable, Sendable {
        case appeared, pulled, reachedEnd
        case typed(String)
        case loaded(Result<PostPage, Trouble>)
        case loadedMore(Result<PostPage, Trouble>)
        case liked(Post.ID)
        case likeSent(Post.ID, was: Bool, Result<Data, Trouble>)
        case deleted(Post.ID)
        case undone
        case undoEnded(Post.ID)
        case deletionSent(Result<Data, Trouble>)
    }

    var query = ""
    var posts = Loadable<[Post], Trouble>.idle
    var next: Int?
    var isLoadingMore = false
    var deleted: [Post.ID] = []  // what can be undone, the newest last
    var banner: String?

    /// What the screen shows.
    var shown: [Post] { (posts.value ?? []).filter { !deleted.contains($0.id) } }

    mutating func like(_ id: Post.ID, _ isLiked: Bool) {
        posts = posts.map { posts in
            posts.map { $0.id == id ? Post(id: id, title: $0.title, isLiked: isLiked) : $0 }
        }
    }
}

struct FeedService: Sendable {
    let client: HTTPClient

    func reduce(_ feed: inout Feed, _ event: Feed.Event) -> Effect<Feed.Event> {
        switch event {
        case .appeared, .pulled: return load(&feed)
        case .typed(let text):
            feed.query = text
            return load(&feed).debounce(id: "page", for: .milliseconds(300), on: client.scheduler)
        case .loaded(let result):
            feed.posts.finishLoading(with: result.map(\.posts))
            feed.next = try? result.get().next
        case .reachedEnd:
            guard let next = feed.next, !feed.isLoadingMore, !feed.posts.isLoading else { break }
            feed.isLoadingMore = true
            let query = feed.query
            return .request(page(next, of: query)) { .loadedMore($0.mapError(Trouble.init)) }
                .id("page")
        case .loadedMore(.success(let page)):
            feed.isLoadingMore = false
            feed.posts = feed.posts.map { $0 + page.posts }
            feed.next = page.next
        case .loadedMore(.failure(let trouble)):
            feed.isLoadingMore = false
            feed.banner = trouble.text
        case .liked(let id):
            guard let post = feed.posts.value?.first(where: { $0.id == id }) else { break }
            feed.like(id, !post.isLiked)
            let call = Endpoint(path: "/posts/\(id)/like", method: post.isLiked ? .delete : .put)
            return .request(client.networking(call)) {
                .likeSent(id, was: post.isLiked, $0.mapError(Trouble.init))
            }.id("like \(id)")
        case .likeSent(let id, let was, .failure(let trouble)):
            feed.like(id, was)
            feed.banner = trouble.text
        case .deleted(let id):
            feed.deleted.append(id)
            return .future(Future(value: .undoEnded(id)))
                .debounce(id: "undo \(id)", for: .seconds(5), on: client.scheduler)
        case .undone:
            if let id = feed.deleted.popLast() { return .cancel(id: "undo \(id)") }
        case .undoEnded(let id):
            feed.deleted.removeAll { $0 == id }
            feed.posts = feed.posts.map { $0.filter { $0.id != id } }
            return .request(client.networking(Endpoint(path: "/posts/\(id)", method: .delete))) {
                .deletionSent($0.mapError(Trouble.init))
            }
        case .deletionSent(.failure(let trouble)):
            feed.banner = trouble.text
            return load(&feed)
        case .likeSent, .deletionSent: break
        }
        return .none
    }

    private func load(_ feed: inout Feed) -> Effect<Feed.Event> {
        feed.posts.startLoading()
        feed.isLoadingMore = false
        let query = feed.query
        return .request(page(1, of: query)) { .loaded($0.mapError(Trouble.init)) }.id("page")
    }

    private func page(_ number: Int, of query: String) -> Future<PostPage> {
        client.futures.get(
            "/posts", as: PostPage.self, query: ["q": query, "page": number])
    }
}
// end snippet
