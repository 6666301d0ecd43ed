package import Foundation
package import PledgeFutures
package import PledgeHTTPMessages

/// A source of chunks that the test controls: each call of `next` waits for the test.
package final class ScriptedSource: Sendable {
    private let state = Locked((promises: [Promise<Data?>](), cancelled: 0))

    package init() {}

    /// How often a chunk was asked for.
    package var asked: Int { state.withLock { $0.promises.count } }

    /// How often the stream was cancelled.
    package var cancelled: Int { state.withLock { $0.cancelled } }

    package func stream(length: Int64? = nil) -> HTTPBodyStream {
        HTTPBodyStream(
            length: length,
            next: {
                let promise = Promise<Data?>()
                self.state.withLock { $0.promises.append(promise) }
                return promise
            },
            cancel: { self.state.withLock { $0.cancelled += 1 } })
    }

    /// The promise of the chunk that was asked for last.
    package var last: Promise<Data?>? { state.withLock { $0.promises.last } }

    package func give(_ text: String?) { last?.resolve(with: text.map { Data($0.utf8) }) }

    /// Releases all promises.
    package func forget() {
        let all = state.withLock { state in
            defer { state.promises = [] }
            return state.promises
        }
        withExtendedLifetime(all) {}
    }
}

package struct Broken: Error, Equatable {
    package init() {}
}

extension Future {
    /// The code of the error with which the future has failed.
    package var failureCode: HTTPError.Code? { (failure as? HTTPError)?.code }

    /// The error with which the future has failed.
    package var failure: (any Error)? {
        guard case .failure(let error) = result else { return nil }
        return error
    }

    /// The value with which the future has succeeded.
    package var success: Value? { try? result?.get() }
}

extension Future<Data?> {
    /// The text of the chunk, or "nil" for the end; nil while the future is pending, or if it has failed.
    package var text: String? {
        guard case .success(let chunk) = result else { return nil }
        return chunk.map { String(decoding: $0, as: UTF8.self) } ?? "nil"
    }
}

extension HTTPBodyStream {
    /// A stream that gives texts at once.
    package convenience init(texts: [String], length: Int64? = nil) {
        let rest = Locked(texts[...])
        self.init(
            length: length,
            next: {
                Future(value: rest.withLock { $0.popFirst() }.map { Data($0.utf8) })
            })
    }
}
