import PledgeFutures
public import PledgeHTTPNetworking

/// A stored response.
///
/// Its headers are those that may be stored (RFC 9111, section 3.1), with a Date, and without Age.
public struct CachedResponse: Sendable {
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

/// The requests for a URL that a stored response answers: those with the same fields, as named by Vary, as
/// the original request (RFC 9111, section 4.1).
///
/// In a private cache they also belong to the same partition, so that no user gets the answer to
/// another user of the same process. A 401 is the answer to one value of the credentials, and not to those
/// that a renewal brings.
public struct CacheVariant: Hashable, Sendable {
    /// The fields by their names in lower case; nil if the request had none.
    let fields: [String: String?]

    /// Their users; nil in a shared cache.
    let partition: CachePartition?

    /// The holders of the refused credentials; nil if nothing was refused.
    let refused: Set<Principal>?

    /// Makes the variant of a response.
    ///
    /// - Parameters:
    ///   - presented: The original request.
    ///   - status: The status of the response.
    ///   - response: The headers of the response.
    ///   - mode: The kind of the cache.
    /// - Returns: Nil if Vary is "*" or not a valid name, so that the response answers no other request.
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

    /// Whether a request is one of them.
    func matches(_ presented: PresentedRequest) -> Bool {
        concerns(presented) && refused.map { $0 == presented.holders } ?? true
    }

    /// Whether a request asks for the same, even if with renewed credentials.
    func concerns(_ presented: PresentedRequest) -> Bool {
        isOf(presented.partition)
            && fields.allSatisfy { Self.value(of: $0.key, in: presented.headers) == $0.value }
    }

    /// Whether requests of such users may be among them.
    func isOf(_ names: CachePartition) -> Bool {
        partition.map { $0 == names && !$0.isOver } ?? true
    }

    /// Whether no such request can come any more.
    var isOver: Bool { partition?.isOver ?? false }

    /// How many bytes it takes.
    var byteCount: Int {
        fields.reduce((partition?.byteCount ?? 0) + (refused?.count ?? 0) * 16) {
            $0 + $1.key.utf8.count + ($1.value?.utf8.count ?? 0)
        }
    }

    /// All lines as one, with normalised white space around its commas.
    ///
    /// White space within quotation marks may be significant.
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
