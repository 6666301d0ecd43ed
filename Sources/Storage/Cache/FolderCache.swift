public import PledgeFutures
public import PledgeHTTPCaching

extension HTTPCache {
    /// Creates a cache that keeps its responses in a folder, across runs of the process.
    ///
    /// ```swift
    /// let cache = HTTPCache(folder: .cachesDirectory.appending(path: "com.example.app"))
    /// ```
    ///
    /// Only this user can read the files (0600), and a folder that the cache creates (0700). Responses are returned
    /// before they are written; `flush()` waits until they are. A damaged file, or one in another version's format,
    /// counts as absent. Several processes may share a folder, and caches of one folder in one process share their
    /// responses. The initializer reads a file in the folder, and writes it the first time, on the caller's thread; it
    /// doesn't wait for other processes.
    ///
    /// If a write fails, for example because the disk is full, the cache keeps its responses in memory (`storeError`),
    /// and tries again after a second, then after twice as long each time, up to a minute. If a response must be
    /// removed meanwhile, the cache deletes the file of its URL. If somebody removes or empties the folder, the cache
    /// starts over with an empty one.
    ///
    /// The folder must belong to this user, and nobody else may be able to write in it; otherwise the cache uses only
    /// memory. A file that another user has made, or can write, counts as absent.
    ///
    /// **Users.** Credentials and cookies are hashed with a random key in the folder. After a restart, a user gets
    /// their responses again if the app names the account (`.authorize(…, as:)`), or if the headers have the same
    /// values. Responses of a sign-in without a name are kept in memory only.
    ///
    /// - Parameters:
    ///   - name: The name in the cache's events and errors; nil for none. It must hold no secrets.
    ///   - folder: The folder, which is created if there is none. Other files in it stay.
    ///   - limit: The most disk space for the files, in bytes, counted in whole blocks of the disk. Beyond it, the
    ///     least recently used URLs are removed. The responses of one URL may take an eighth of it; a larger response
    ///     isn't stored. Less than one is a programming error and traps. If two caches of one process have the same
    ///     folder, the first one's limits count.
    ///   - memory: The most bytes of responses that are kept in memory too. Responses that wait to be written may take
    ///     an eighth of `limit` more.
    ///   - mode: The kind of cache.
    ///   - replaysCookies: If true, a stored response is returned with its Set-Cookie. By default, the header isn't
    ///     stored.
    ///   - statusName: The cache's name in the field Cache-Status; nil for no such field.
    ///   - coalescesMisses: If true, equal requests without a stored response wait for the answer to the first of them.
    ///   - names: Further request headers that don't separate users.
    ///   - staleIfUnreachable: How long a stale response may still answer for an origin that can't be reached; nil for
    ///     never.
    ///   - defaultLifetime: How long a response is fresh if its headers have neither a lifetime nor a Last-Modified;
    ///     nil for not at all.
    ///   - backgroundLimit: How long a revalidation in the background may take.
    ///   - now: The wall clock, which is compared with the dates in headers.
    ///   - scheduler: The clock for durations.
    public convenience init(
        named name: String? = nil, folder: URL, limit: Int = 256 << 20, memory: Int = 8 << 20,
        mode: Mode = .private, replaysCookies: Bool = false, statusName: String? = nil,
        coalescesMisses: Bool = true, harmlessHeaders names: [String] = [],
        staleIfUnreachable: Duration? = nil, defaultLifetime: Duration? = nil,
        backgroundLimit: Duration = .seconds(60),
        now: @escaping @Sendable () -> Date = { .now },
        on scheduler: some FutureScheduler = .live
    ) {
        self.init(
            named: name,
            in: FolderCacheStore.shared(folder, limit: limit, memory: memory, on: scheduler),
            mode: mode, replaysCookies: replaysCookies, statusName: statusName,
            coalescesMisses: coalescesMisses, harmlessHeaders: names,
            staleIfUnreachable: staleIfUnreachable, defaultLifetime: defaultLifetime,
            backgroundLimit: backgroundLimit, now: now, on: scheduler)
    }
}
