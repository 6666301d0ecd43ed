import Dispatch
import PledgeFutures
public import PledgeHTTPAuthentication

extension CookieJar {
    /// Creates a jar whose cookies are kept in a file, across runs of the process.
    ///
    /// ```swift
    /// let jar = CookieJar(file: folder.appending(path: "cookies.json"), keepingSessionCookies: true)
    /// ```
    ///
    /// Only the current user may read the file (0600). It's read on the caller's thread. Changes are written in the
    /// background, as a whole file; `flush()` waits for them. If the file can't be read or written, the jar works on
    /// without it. If the file can't be written after `remove(_:)` or `removeAll()`, it's removed, so that the next
    /// run doesn't find the cookies again. Without cookies, there's no file. A file belongs to one jar.
    ///
    /// - Parameters:
    ///   - file: The file, which is created with its folder when the jar changes.
    ///   - keepingSessionCookies: True to keep session cookies too, which end with the user's session. In most apps,
    ///     that session doesn't end with the process.
    ///   - cookiesPerDomain: The largest number of cookies per domain (RFC 6265, section 6.1).
    ///   - cookiesInAll: The largest number of cookies in all.
    ///   - bytesPerCookie: The largest size of name and value together, in bytes; a larger cookie is ignored.
    ///   - now: The clock that decides when cookies expire.
    ///   - isPublicSuffix: Returns whether anyone may register names directly below a domain, such as "co.uk".
    ///   - onFileError: Called with each error of the file: a `FileError`, or a `DecodingError` of its content.
    public convenience init(
        file: URL, keepingSessionCookies: Bool = false, cookiesPerDomain: Int = 50,
        cookiesInAll: Int = 3_000, bytesPerCookie: Int = 4_096,
        now: @escaping @Sendable () -> Date = { .now },
        isPublicSuffix: (@Sendable (String) -> Bool)? = nil,
        onFileError: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        let file = CookieFile(
            SecretFile(file), keepsSessionCookies: keepingSessionCookies, onError: onFileError)
        self.init(
            file.read(), in: file, limits: (cookiesPerDomain, cookiesInAll, bytesPerCookie),
            now: now, isPublicSuffix: isPublicSuffix ?? PublicSuffix.contains)
    }
}

/// A jar's file, written in the background.
final class CookieFile: CookiePlace {
    private let file: SecretFile
    private let keepsSessionCookies: Bool
    private let onError: @Sendable (any Error) -> Void
    private let writes: Queue
    private let state = Locked(State())

    private struct State {
        /// Returns the cookies to write; the argument says whether to include session cookies.
        ///
        /// Nil if all is written.
        var snapshot: Snapshot?
        /// True if the file may have cookies that the app has removed.
        var hasRemovals = false
        var error: (any Error)?
    }

    /// Runs blocking work in order, on another thread.
    typealias Queue = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// `writes` runs the writes; nil for the file's own queue.
    init(
        _ file: SecretFile, keepsSessionCookies: Bool, writes: Queue? = nil,
        onError: @escaping @Sendable (any Error) -> Void
    ) {
        self.file = file
        self.keepsSessionCookies = keepsSessionCookies
        let queue = DispatchQueue(label: "Pledge.CookieFile")
        self.writes = writes ?? { work in queue.async(execute: work) }
        self.onError = onError
    }

    /// Reads on the caller's thread; nil if there is no file.
    func read() -> CookieJar.Snapshot? {
        do {
            return try file.read().map {
                try JSONDecoder().decode(CookieJar.Snapshot.self, from: $0)
            }
        } catch {
            onError(error)
            return nil
        }
    }

    func saveSoon(afterRemoval: Bool, _ snapshot: @escaping Snapshot) {
        let isFirst = state.withLock { state in
            defer { state.snapshot = snapshot }
            if afterRemoval { state.hasRemovals = true }
            return state.snapshot == nil
        }
        if isFirst { writes { self.save() } }
    }

    /// Writes the changes that no other call has written.
    private func save() {
        let (snapshot, hasRemovals) = state.withLock { state in
            (state.snapshot.take(), state.hasRemovals)
        }
        guard let cookies = snapshot?(keepsSessionCookies) else { return }
        var failure: (any Error)?
        do {
            try file.write(cookies.cookies.isEmpty ? nil : JSONEncoder().encode(cookies))
        } catch {
            failure = error
            onError(error)
            // Even if the disk is full, removed cookies must not stay in the file.
            if hasRemovals { try? file.write(nil) }
        }
        state.withLock { state in
            state.error = failure
            // If the jar has changed meanwhile, that may be another removal.
            if failure == nil, state.snapshot == nil { state.hasRemovals = false }
        }
    }

    func flush(_ snapshot: @escaping Snapshot) -> Future<Void> {
        Future.make { resolver in
            writes { [self] in
                state.withLock { state in
                    if state.error != nil, state.snapshot == nil { state.snapshot = snapshot }
                }
                // A write may have been announced, but not enqueued yet.
                save()
                if let error = state.withLock({ $0.error }) {
                    resolver.reject(with: error)
                } else {
                    resolver.resolve()
                }
            }
        }
    }
}
