import PledgeFutures
public import PledgeHTTPNetworking

/// A stored response.
///
/// Its headers are those that may be stored (RFC 9111, section 3.1), with a Date, and without Age.
public struct CachedResponse {
    /// The status code.
    public let status: Int

    /// The headers.
    public let headers: HTTPHeaders

    /// The whole body.
    public let body: Data

    /// The URL that answered; nil if it is not known.
    public let url: URL?

    /// Which requests it answers.
    public private(set) var variant: CacheVariant

    /// When its request was sent, or the request that confirmed it last.
    public let requestTime: HTTPDate

    /// When it arrived, or was confirmed last.
    public let responseTime: HTTPDate

    /// Its age at that time, in seconds (RFC 9111, section 4.2.3).
    public let initialAge: Int64

    /// For how many seconds of age it is fresh; negative if it had expired when it was made.
    public let lifetime: Int64

    /// Whether it may be outdated, so that it must be confirmed even while it is fresh.
    public internal(set) var isDoubted = false

    /// Whether a layer beneath the cache has turned it into an error, so that it is returned as one.
    var isRefused = false

    /// When it arrived, on the monotonic clock; nil if that was in another process.
    let received: SchedulerInstant?

    /// The number of its call in its cache; a later call has a higher number.
    let number: Int

    /// Its Cache-Control.
    let control: CacheControl

    /// Its age at a moment, in seconds (RFC 9111, section 4.2.3).
    func age(at now: ClockReading) -> Int64 {
        let byDate = now.date.secondsSince1970 - responseTime.secondsSince1970
        let byClock = received.map { $0.duration(to: now.instant).components.seconds } ?? 0
        return initialAge + max(0, byDate, byClock)
    }

    /// Its date, if known.
    var date: HTTPDate { DateField.date(headers, "Date") ?? responseTime }
}

extension CachedResponse {
    /// How many bytes it takes: headers, body, and variant, with an allowance for the storage.
    public var byteCount: Int {
        let fields = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
        return body.count + fields + variant.byteCount + 256
    }

    /// The same for other requests.
    func with(variant: CacheVariant) -> CachedResponse {
        var copy = self
        copy.variant = variant
        return copy
    }

    /// Whether it may answer a request, as far as its freshness allows.
    ///
    /// A 401 never answers a request that repeats a refused one.
    func answers(_ presented: PresentedRequest) -> Bool {
        if status == 401, presented.request.context.followsRefusal { return false }
        return variant.matches(presented)
    }

    /// Whether it must be confirmed before any use.
    var requiresValidation: Bool {
        if isDoubted || control.isMalformed { return true }
        guard control.contains("no-cache") else { return false }
        return control.fieldNames("no-cache").map(StoredFields.areVital) ?? true
    }

    /// Whether it has a validator for asking the origin.
    var hasValidator: Bool { headers["ETag"] != nil || headers["Last-Modified"] != nil }
}

extension CachedResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status, the headers redacted, and the size of the body.
    public var description: String { "\(status), \(headers), body of \(body.count) bytes" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}

extension CachedResponse: Sendable {}
