import PledgeFutures
public import PledgeHTTPNetworking

/// A stored response.
///
/// It has the headers that may be stored (RFC 9111, section 3.1), always with a Date and without an Age.
public struct CachedResponse: Sendable {
    /// The status code.
    public let status: Int

    /// The headers.
    public let headers: HTTPHeaders

    /// The whole body.
    public let body: Data

    /// The URL that answered; nil if it's unknown.
    public let url: URL?

    /// The requests that the response answers.
    public private(set) var variant: CacheVariant

    /// The time when the response's request was sent; after a confirmation, when the confirming request was sent.
    public let requestTime: HTTPDate

    /// The time when the response arrived, or was last confirmed.
    public let responseTime: HTTPDate

    /// The response's age at ``responseTime``, in seconds (RFC 9111, section 4.2.3).
    public let initialAge: Int64

    /// The age up to which the response is fresh, in seconds; negative if it had expired before it was sent.
    public let lifetime: Int64

    /// True if the response may be outdated, so that the origin must confirm it even while it's fresh.
    public internal(set) var isDoubted = false

    /// True if the response arrived within an error; the cache then returns it within an error again.
    var isRefused = false

    /// The time when the response arrived, on the monotonic clock; nil if another process received it.
    let received: SchedulerInstant?

    /// The number of the call that got the response; in a cache, a later call has a higher number.
    let number: Int

    let control: CacheControl

    /// Returns the response's age, in seconds (RFC 9111, section 4.2.3).
    func age(at now: ClockReading) -> Int64 {
        let byDate = now.date.secondsSince1970 - responseTime.secondsSince1970
        let byClock = received.map { $0.duration(to: now.instant).components.seconds } ?? 0
        return initialAge + max(0, byDate, byClock)
    }

    /// The response's Date, or the time when the response arrived.
    var date: HTTPDate { DateField.date(headers, "Date") ?? responseTime }
}

extension CachedResponse {
    /// The response's size, in bytes: headers, body and variant, with an allowance for overhead.
    public var byteCount: Int {
        let fields = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
        return body.count + fields + variant.byteCount + 256
    }

    /// Returns a copy that answers the requests of another variant.
    func with(variant: CacheVariant) -> CachedResponse {
        var copy = self
        copy.variant = variant
        return copy
    }

    /// Returns whether the response may answer a request; its freshness isn't considered.
    ///
    /// A stored 401 never answers a request that repeats a refused one.
    func answers(_ presented: PresentedRequest) -> Bool {
        if status == 401, presented.request.context.followsRefusal { return false }
        return variant.matches(presented)
    }

    /// True if the origin must confirm the response before each use.
    var requiresValidation: Bool {
        if isDoubted || control.isMalformed { return true }
        guard control.contains("no-cache") else { return false }
        return control.fieldNames("no-cache").map(StoredFields.areVital) ?? true
    }

    /// True if the response has a validator to send to the origin.
    var hasValidator: Bool { headers["ETag"] != nil || headers["Last-Modified"] != nil }
}

extension CachedResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status, the redacted headers, and the size of the body.
    public var description: String { "\(status), \(headers), body of \(body.count) bytes" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}

/// The requests for a URL that a stored response answers.
///
/// They have the same values as the original request in the fields that Vary names (RFC 9111, section 4.1). In a
/// private cache, they also have the same users as the original request, so that no user gets another user's answer. A
/// 401 answers only requests with the refused credentials, and not those with renewed ones.
public struct CacheVariant: Hashable, Sendable {
    /// The values of the fields that Vary names, by lowercase name; nil for a field that the request didn't have.
    let fields: [String: String?]

    /// The users of the requests; nil in a shared cache.
    let partition: CachePartition?

    /// The holders of the refused credentials; nil unless the response is a 401.
    let refused: Set<Principal>?

    /// Creates the variant of a response.
    ///
    /// - Parameters:
    ///   - presented: The original request.
    ///   - status: The status of the response.
    ///   - response: The headers of the response.
    ///   - mode: The kind of cache.
    /// - Returns: Nil if Vary is "*" or has an invalid name; the response then answers no other request.
    init?(
        of presented: PresentedRequest, status: Int = 200, response: HTTPHeaders,
        mode: HTTPCache.Mode
    ) {
        partition = mode == .private ? presented.partition : nil
        refused = status == 401 ? presented.holders : nil
        var fields: [String: String?] = [:]
        for line in response.values(for: "Vary") {
            for name in line.split(separator: ",") {
                let name = HTTPHeaders.trimmed(name).lowercased()
                if name.isEmpty || partition?.standsFor(name) == true { continue }
                // An invalid name has the same effect as "*".
                guard name != "*", HTTPHeaders.isToken(name) else { return nil }
                fields[name] = .some(Self.value(of: name, in: presented.headers))
            }
        }
        self.fields = fields
    }

    /// Returns whether a request belongs to this variant.
    func matches(_ presented: PresentedRequest) -> Bool {
        concerns(presented) && refused.map { $0 == presented.holders } ?? true
    }

    /// Returns whether a request asks for the same response; renewed credentials make no difference.
    func concerns(_ presented: PresentedRequest) -> Bool {
        isOf(presented.partition)
            && fields.allSatisfy { Self.value(of: $0.key, in: presented.headers) == $0.value }
    }

    /// Returns whether the given users may get the response.
    func isOf(_ names: CachePartition) -> Bool {
        partition.map { $0 == names && !$0.isOver } ?? true
    }

    /// True if one of the users has signed out; then no further request can belong to this variant.
    var isOver: Bool { partition?.isOver ?? false }

    /// The approximate size, in bytes.
    var byteCount: Int {
        fields.reduce((partition?.byteCount ?? 0) + (refused?.count ?? 0) * 16) {
            $0 + $1.key.utf8.count + ($1.value?.utf8.count ?? 0)
        }
    }

    /// Returns all lines of a field as one, without white space around the commas.
    ///
    /// A value with quotation marks is left unchanged, because white space within them may be significant.
    static func value(of name: String, in headers: HTTPHeaders) -> String? {
        guard let value = headers[name] else { return nil }
        if value.utf8.contains(UInt8(ascii: "\"")) { return value }
        return value.split(separator: ",", omittingEmptySubsequences: false)
            .map(HTTPHeaders.trimmed).joined(separator: ",")
    }
}

extension CacheVariant: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the fields, without their values.
    public var description: String { fields.keys.sorted().joined(separator: ", ") }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["fields": description]) }
}
