public import PledgeFutures
public import PledgeHTTPCaching

extension HTTPCache {
    /// Creates a cache that keeps its responses in a folder, across runs of the process.
    ///
    /// ```swift
    /// let cache = HTTPCache(folder: .cachesDirectory.appending(path: "com.example.app"))
    /// ```
    ///
    /// The files are for this user alone (0600), and so is a folder that the cache creates (0700). No response waits
    /// for its write; see `flush()`. A damaged file, or one in the format of another version, counts as absent.
    /// Several processes may share a folder, and caches of one folder in one process share their responses. Opening the
    /// folder reads a file, and writes it the first time, on the caller's thread; it waits for no other process.
    ///
    /// After a write has failed, for example because the disk is full, the cache keeps responses in memory
    /// (`storeError`), and tries again: after a second, then after twice as long each time, up to a minute. Meanwhile,
    /// it removes the file of a URL whose response must be removed. If somebody removes or empties the folder, the cache
    /// starts again with an empty one.
    ///
    /// The folder must belong to this user, and nobody else may be able to write in it; otherwise the cache uses only
    /// memory. An entry's file that another user has made, or that others can write, counts as absent.
    ///
    /// **Users.** Credentials and cookies are hashed with a random key in the folder. So a user's responses are found
    /// again after a restart if the app names the account (`.authorize(…, as:)`), or if the headers have the same
    /// values. The responses of an unnamed sign-in stay in memory.
    ///
    /// - Parameters:
    ///   - name: The name in the cache's events and errors; nil for none. It must hold no secrets.
    ///   - folder: The folder, which is created if there is none. Other files in it stay.
    ///   - limit: The most that the files may take of the disk, in bytes, in whole blocks of the disk; the least recently
    ///     used URLs are removed. The responses of one URL take at most an eighth of it, and a larger one isn't stored. Less than one is a
    ///     programming error and traps. If two caches of one process have the same folder, the limits of the first one
    ///     count.
    ///   - memory: The largest total size of the responses that are kept in memory too, in bytes. Responses that aren't
    ///     written yet can take an eighth of `limit` more.
    ///   - mode: The kind of cache.
    ///   - replaysCookies: If true, a stored response is returned with its Set-Cookie. By default, the header isn't
    ///     stored.
    ///   - statusName: The cache's name in the field Cache-Status; nil for no such field.
    ///   - coalescesMisses: If true, equal requests without a stored response wait for the answer to the first of them.
    ///   - names: Further request headers that don't separate users.
    ///   - staleIfUnreachable: How long after it became stale a response may answer for an origin that can't be
    ///     reached; nil for never.
    ///   - defaultLifetime: How long a response is fresh whose headers have no lifetime and no Last-Modified; nil for
    ///     none.
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
