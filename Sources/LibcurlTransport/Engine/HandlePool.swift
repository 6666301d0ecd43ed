import CPledgeCurl
import PledgeFutures
import PledgeHTTPNetworking

/// The handles of a transport: those in use, and the spare ones.
///
/// Callers take and prepare them, so that the I/O thread does only what it alone can do.
final class HandlePool: Sendable {
    private struct State {
        var spare: [EasyHandle] = []
        var takenCount = 0
        var isClosed = false
        /// Called once no handle is in use.
        var lastReturn: (@Sendable () -> Void)?
    }

    private static let mostSpare = 64
    private let options: CurlOptions
    private let state = Locked(State())

    init(_ options: CurlOptions) { self.options = options }

    /// Takes a handle and prepares it for a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isStreamed: Whether its response is read in pieces.
    /// - Throws: `HTTPError` if there is no memory, or if libcurl does not take a part of the request.
    func take(for request: HTTPRequest, isStreamed: Bool) throws(HTTPError) -> EasyHandle {
        let spare = state.withLock { $0.spare.popLast() }
        var noMemory: HTTPError {
            HTTPError(code: .other, request: request, reason: "there is no memory")
        }
        guard let handle = spare ?? EasyHandle(options) else { throw noMemory }
        handle.prepare(request, isStreamed: isStreamed, options)
        if let code = handle.refusedOption {
            if code == ccurl_out_of_memory.rawValue { throw noMemory }
            let words = String(cString: ccurl_words(code))
            throw HTTPError(
                code: .unsupported, request: request,
                reason: "libcurl does not take the request: \(words) (libcurl \(code))")
        }
        state.withLock { $0.takenCount += 1 }
        return handle
    }

    /// Takes a handle back after its result has been delivered; the handle is in no multi handle any more.
    ///
    /// If it may not be used again, another one is made here, so that the next caller need not wait for it.
    func giveBack(_ handle: EasyHandle) {
        if options.mayReuseHandles { handle.forget() }
        let next = options.mayReuseHandles ? handle : EasyHandle(options)
        let lastReturn: (@Sendable () -> Void)? = state.withLock { state in
            state.takenCount -= 1
            if let next, !state.isClosed, state.spare.count < Self.mostSpare {
                state.spare.append(next)
            }
            return state.takenCount == 0 ? state.lastReturn.take() : nil
        }
        lastReturn?()
    }

    /// Frees the spare handles, and calls a closure once no handle is in use.
    func close(_ completion: @escaping @Sendable () -> Void) {
        let isDone = state.withLock { state in
            state.spare = []
            state.isClosed = true
            if state.takenCount > 0 { state.lastReturn = completion }
            return state.takenCount == 0
        }
        if isDone { completion() }
    }
}
