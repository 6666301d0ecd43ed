public import PledgeFutures
public import PledgeHTTPMessages

/// A stored response, which a ``CacheStore`` keeps and returns as it is.
///
/// To keep it as bytes, import `PledgeStorage`: then it is Codable. It has the headers that may be stored (RFC 9111, section 3.1), always with a Date and without an Age.
public struct CachedResponse: Sendable {
    /// The status code.
    package let status: Int

    /// The headers.
    package let headers: HTTPHeaders

    /// The whole body.
    package let body: Data

    /// The URL that answered; nil if it's unknown.
    package let url: URL?

    /// The requests that the response answers.
    package private(set) var variant: CacheVariant

    /// The time when the response's request was sent; after a confirmation, when the confirming request was sent.
    package let requestTime: Date

    /// The time when the response arrived, or was last confirmed.
    package let responseTime: Date

    /// The response's age at ``responseTime``, in seconds (RFC 9111, section 4.2.3).
    package let initialAge: Int64

    /// The age up to which the response is fresh, in seconds; negative if it had expired before it was sent.
    package let lifetime: Int64

    /// True if the response may be outdated, so that the origin must confirm it even while it's fresh.
    package var isDoubted = false

    /// True if the response arrived within an error; the cache then returns it within an error again.
    package var isRefused = false

    /// When the response arrived, on the monotonic clock; nil if another process received it.
    package let received: SchedulerInstant?

    /// The number of the call that got the response; later calls of a cache have higher numbers.
    package let number: Int

    let control: CacheControl

    package init(
        status: Int, headers: HTTPHeaders, body: Data, url: URL?, variant: CacheVariant,
        requestTime: Date, responseTime: Date, initialAge: Int64, lifetime: Int64,
        received: SchedulerInstant?, number: Int, control: CacheControl
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
        self.variant = variant
        self.requestTime = requestTime.inWholeSeconds
        self.responseTime = responseTime.inWholeSeconds
        self.initialAge = initialAge
        self.lifetime = lifetime
        self.received = received
        self.number = number
        self.control = control
    }

    /// Creates a response that answers any request for its URL, of any user.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - headers: The headers.
    ///   - body: The whole body.
    ///   - url: The URL that answered; nil if it's unknown.
    ///   - requestTime: The time when its request was sent; nil for the time of the response.
    ///   - responseTime: The time when it arrived.
    ///   - initialAge: Its age when it arrived, in seconds. Less than zero is a programming error and traps.
    ///   - lifetime: The age up to which it's fresh, in seconds.
    package init(
        status: Int, headers: HTTPHeaders = [:], body: Data = Data(), url: URL? = nil,
        requestTime: Date? = nil, responseTime: Date = .now, initialAge: Int64 = 0,
        lifetime: Int64 = 0
    ) {
        precondition(initialAge >= 0, "an age isn't less than zero: \(initialAge)")
        self.init(
            status: status, headers: headers, body: body, url: url,
            variant: CacheVariant(),
            requestTime: requestTime ?? responseTime, responseTime: responseTime,
            initialAge: initialAge, lifetime: lifetime, received: nil, number: 0,
            control: CacheControl(headers))
    }

    /// The response's age, in seconds (RFC 9111, section 4.2.3).
    func age(at now: ClockReading) -> Int64 {
        let byDate = now.date.secondsSince1970 - responseTime.secondsSince1970
        // Another process has a later date, so one of the clocks is wrong, and the response counts as stale.
        if received == nil, byDate < 0 { return max(initialAge, lifetime + 1) }
        let byClock = received.map { $0.duration(to: now.instant).components.seconds } ?? 0
        return initialAge + max(0, byDate, byClock)
    }

    /// The response's Date, or else when it arrived.
    package var date: Date { DateField.date(headers, "Date") ?? responseTime }
}

extension CachedResponse {
    /// The response's size, in bytes: headers, body and variant, with an allowance for overhead.
    public var byteCount: Int {
        let fields = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
        return body.count + fields + variant.byteCount + 256
    }

    func with(variant: CacheVariant) -> CachedResponse {
        var copy = self
        copy.variant = variant
        return copy
    }

    /// Returns whether the response is for such a request, fresh or not.
    ///
    /// A stored 401 never answers a request that repeats a refused one.
    func answers(_ presented: PresentedRequest) -> Bool {
        if status == 401, presented.request.context.followsRefusal { return false }
        return variant.matches(presented)
    }

    /// True if the origin must confirm each use.
    var requiresValidation: Bool {
        if isDoubted || control.isMalformed { return true }
        guard control.contains("no-cache") else { return false }
        return control.fieldNames("no-cache").map(StoredFields.areVital) ?? true
    }

    /// The tag, in a form for If-None-Match; nil if there is none, or if it's long or without quotation marks.
    var listedTag: [UInt8]? {
        guard let tag = EntityTag(of: headers), tag.opaque.utf8.count <= 256,
            tag.opaque.count >= 2, tag.opaque.hasPrefix("\""), tag.opaque.hasSuffix("\"")
        else { return nil }
        return headers.received("ETag").first?.returnable.map { Array($0) }
    }

    var hasValidator: Bool { headers["ETag"] != nil || headers["Last-Modified"] != nil }
}

extension CachedResponse: DescriptionOnly {
    /// The status, the redacted headers, and the size of the body.
    public var description: String { "\(status), \(headers), body of \(body.count) bytes" }
}
