public import PledgeHTTPMessages
public import PledgeServices

/// A known problem in the order of a stack.
package struct StackProblem: Hashable, Sendable {
    /// The part that should not be outside ``inner``; equal to `inner` if the stack has the part twice.
    package let outer: String

    /// The part that should not be inside ``outer``.
    package let inner: String

    /// The consequence, in one sentence.
    package let consequence: String
}

extension Middleware {
    /// The known problems of the order of a stack's parts, in words; found without building the stack.
    ///
    /// ```swift
    /// for problem in Middleware(stacking: parts).problems { print(problem) }
    /// ```
    ///
    /// A problem reads like "retry above idempotencyKey: each attempt has its own key, …". This library's middleware is
    /// recognised by name (`parts`). Middleware without a name is skipped, and so is middleware that `keyed` creates for
    /// a key. An order without a known problem may still be wrong for you: the guide "The whole stack" gives the reasons
    /// for each place.
    ///
    /// Each problem is listed once, ordered by the position of the outer part and then of the inner part.
    public var problems: [String] { stackProblems.map(\.description) }

    /// The known problems of the order of a stack's parts.
    package var stackProblems: [StackProblem] {
        var found: [StackProblem] = []
        for (index, outer) in parts.enumerated() {
            for innerIndex in parts.indices[(index + 1)...] {
                let inner = parts[innerIndex]
                // If there is another timeout further in, the outer timeout is meant to limit the whole call, and is
                // no problem.
                if outer == "timeout", parts[innerIndex...].contains(outer) { continue }
                guard let consequence = StackProblem.consequences[outer]?[inner] else { continue }
                let problem = StackProblem(outer: outer, inner: inner, consequence: consequence)
                if !found.contains(problem) { found.append(problem) }
            }
        }
        return found
    }
}

extension HTTPStack {
    /// The known problems of the order within the levels, in words, like `Middleware.problems`.
    public var problems: [String] { whole.problems }
}

extension StackProblem: CustomStringConvertible {
    /// A text like "retry above idempotencyKey: each attempt has its own key, …".
    package var description: String {
        outer == inner
            ? "\(outer) twice: \(consequence)" : "\(outer) above \(inner): \(consequence)"
    }
}

extension StackProblem {
    /// The consequences of a wrong order: the outer key is a part; an inner key is a part that must not be inside it.
    static let consequences: [String: [String: String]] = [
        "retry": [
            "retry":
                "the attempts multiply: three times three are nine. The outer retry repeats calls that the inner one has already stopped repeating.",
            "observed": "no observer gets the retry's own events; observed belongs outermost.",
            "deadline":
                "each attempt gets the whole time. Put deadline above the retry, and timeout here.",
            "fallback": "the retry sees the substitute as a success, and repeats nothing.",
            "idempotencyKey":
                "each attempt has its own key, so the server cannot tell that the second repeats the first.",
            "redirect": "each attempt repeats all redirects, even those that succeeded.",
            "authorize": "after a 401, each attempt renews the token again.",
            "newTrace": "the attempts of one call are in different traces.",
            "cache":
                "an answer from the cache counts as an attempt, and each attempt confirms a stale answer again.",
            "bulkhead":
                "a call gives its place up between attempts, so a full server gets more calls, not fewer.",
            "loadShedding":
                "a call gives its place up between attempts, so a full server gets more calls, not fewer.",
            "coalesce": "callers share a call, but each of them retries alone.",
            "memoize": "an answer from the memo counts as an attempt.",
        ],
        "hedge": [
            "retry":
                "each of the two calls makes all attempts, so the load doubles when the service fails.",
            "cache": "two calls ask the cache for the same response at the same time.",
            "idempotencyKey":
                "the two calls have different keys, so the server may carry out both.",
            "newTrace": "the two calls are in different traces.",
        ],
        "circuitBreaker": [
            "retry":
                "if every attempt fails, the breaker counts only one failure, so it opens late.",
            "hedge": "the breaker sees only the faster of two calls.",
            "fallback": "the breaker sees the substitute as a success, and never opens.",
            "cache": "the open breaker also refuses calls that have a stored answer.",
        ],
        "throttle": [
            "retry":
                "if every attempt fails, the throttle counts only one failure, so it refuses calls late.",
            "hedge": "the throttle sees only the faster of two calls.",
            "fallback": "the throttle sees the substitute as a success, and refuses nothing.",
            "cache":
                "the throttle also refuses calls that have a stored answer, and counts stored answers as the service's.",
        ],
        "adaptiveConcurrency": [
            "retry": "the waits between attempts count as the service's time.",
            "authorize": "the wait for a token counts as the service's time.",
            "fallback": "the limit sees the substitute as an answer, and does not shrink.",
            "cache": "the times of stored answers count as the service's times.",
            "rateLimit": "the wait for a turn counts as the service's time.",
        ],
        "timeout": [
            "circuitBreaker": "the breaker sees a cancelled call, not a call that took too long.",
            "throttle": "the throttle sees a cancelled call, not a call that took too long.",
            "adaptiveConcurrency":
                "the limit sees a cancelled call, not a call that took too long.",
            "hedge": "the timeout limits all calls of the hedge together.",
            "retry":
                "the timeout limits all attempts together. Use deadline for that: it also tells the parts below.",
            "rateLimit": "the wait for a turn counts as the attempt's time.",
            "pushback": "the wait during a pause counts as the attempt's time.",
        ],
        "pushback": [
            "cache": "calls with a stored answer wait for the end of a pause.",
            "retry": "if the server asks one attempt for a pause, the next attempt does not wait.",
            "circuitBreaker": "calls wait for the end of a pause and are then refused.",
            "throttle": "calls wait for the end of a pause and are then refused.",
        ],
        "rateLimit": [
            "cache": "stored answers draw from the server's quota.",
            "retry": "the attempts of a call count as one, so the server gets more than its quota.",
            "hedge": "the two calls count as one, so the server gets more than its quota.",
            "circuitBreaker":
                "while the breaker is open, calls wait for a turn, use it up, and are then refused.",
            "throttle": "calls wait for a turn, use it up, and the throttle then refuses them.",
        ],
        "bulkhead": ["cache": "a call with a stored answer waits for a place."],
        "loadShedding": [
            "cache": "a call with a stored answer waits for a place.",
            "priority": "the queue does not see the priority, because it is bound below.",
        ],
        "cache": [
            "redirect":
                "the last URL's answer would be stored under the first URL, so the cache stores nothing.",
            "cookies":
                "the cache does not see the cookies, and may give one user's answer to another.",
            "authorize":
                "the cache does not know which user asks, so it stores no answers to requests with credentials.",
            "defaultHeaders": "the cache does not see the headers that the server's Vary names.",
            "idempotencyKey": "the cache does not see the request as it is sent.",
            "cache": "the outer cache asks the inner one, and both keep the same answers.",
        ],
        "authorize": [
            "redirect":
                "a redirect's target gets no credentials of its own, and its 401 repeats the whole chain."
        ],
        "cookies": [
            "redirect": "a redirect's target gets no cookies of its own.",
            "authorize":
                "the second request sends the first one's cookies, without the cookies that the 401 sets.",
        ],
        "redirect": [
            "defaultHeaders": "a redirect carries the headers, even keys, to other origins.",
            "idempotencyKey": "the requests of one call have different keys.",
            "newTrace": "the requests of one call are in different traces.",
            "redirect":
                "the inner one follows all redirects, so the outer one's limit counts none.",
        ],
        "coalesce": [
            "authorize": "callers with different credentials share one answer.",
            "cookies": "callers with different cookies share one answer.",
            "defaultHeaders": "calls are compared without these headers.",
        ],
        "memoize": [
            "fallback":
                "the memo keeps the substitute like an answer, unless its classifier says otherwise.",
            "deadline": "callers who wait for the same answer share the first caller's time limit.",
        ],
        "decompress": [
            "acceptStatus": "the bodies of errors stay compressed.",
            "cache": "the cache stores compressed bodies, and each answer is decompressed again.",
        ],
        "tracePropagation": [
            "retry": "the attempts of one call have the same span ID.",
            "hedge": "the two calls have the same span ID.",
            "redirect":
                "the requests of one call have the same span ID, and requests to other origins have none.",
            "authorize": "a request repeated with a new token has the first request's span ID.",
            "cache": "an answer from the cache appears as a span, though no request is sent.",
            "coalesce": "no two calls are equal, so callers share none.",
            "newTrace":
                "the trace begins below the part that would send it, so no request carries it.",
        ],
        "callPropagation": [
            "deadline": "the remaining time is not sent, because the deadline is bound below.",
            "priority": "the priority is not sent, because it is bound below.",
            "redirect": "each request says how much time was left for the first one.",
            "authorize":
                "a request that waits for a token says how much time was left before the wait.",
            "cache": "requests with different headers do not share an answer.",
            "coalesce": "calls with different headers do not share an answer.",
            "bulkhead":
                "a request that waits for a place says how much time was left before the wait.",
            "loadShedding":
                "a request that waits for a place says how much time was left before the wait.",
            "adaptiveConcurrency":
                "a request that waits for a place says how much time was left before the wait.",
            "retry": "each attempt says how much time was left for the first one.",
            "hedge": "the second call says how much time was left for the first one.",
            "rateLimit":
                "a request that waits for its turn says how much time was left before the wait.",
        ],
        "deadline": [
            "observed":
                "no observer sees that the deadline ended the call; observed belongs outermost."
        ],
    ]
}
