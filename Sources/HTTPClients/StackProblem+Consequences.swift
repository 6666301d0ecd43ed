extension StackProblem {
    /// The consequence if the first part is anywhere outside the second.
    static let consequences: [String: [String: String]] = [
        "retry": [
            "retry":
                "the attempts multiply, three times three are nine, and the outer repeats what the inner gave up.",
            "observed": "the retry's own events have no observer; observed belongs outermost.",
            "deadline":
                "each attempt has the whole time; deadline belongs above, and timeout here.",
            "fallback": "the retry sees the substitute, a success, and repeats nothing.",
            "idempotencyKey":
                "each attempt has a key of its own, so the server cannot know the second for the first.",
            "redirect": "an attempt repeats all redirects, also those that succeeded.",
            "authorize": "a 401 that a new token would cure is renewed in each attempt.",
            "newTrace": "the attempts of one call are in different traces.",
            "cache":
                "an answer from the cache counts as an attempt, and a stale one is confirmed in each attempt.",
            "bulkhead":
                "a call gives its place up between attempts, so that a full server gets more calls, not fewer.",
            "shed":
                "a call gives its place up between attempts, so that a full server gets more calls, not fewer.",
            "coalesce": "callers who share a call each repeat it.",
            "memoise": "an answer from the memo counts as an attempt.",
        ],
        "hedge": [
            "retry":
                "each of the two calls has all attempts, so that the load doubles when the service is ill.",
            "cache": "two calls ask the cache for the same at the same time.",
            "idempotencyKey": "the two calls have different keys, so both may be carried out.",
            "newTrace": "the two calls are in different traces.",
        ],
        "circuitBreaker": [
            "retry":
                "the breaker sees one failure where the service failed in each attempt, and opens late.",
            "hedge": "the breaker sees the faster of two calls only.",
            "fallback": "the breaker sees the substitute, a success, and never opens.",
            "cache": "while the breaker is open, stored answers are refused too.",
        ],
        "throttle": [
            "retry":
                "the throttle sees one failure where the service failed in each attempt, and refuses late.",
            "hedge": "the throttle sees the faster of two calls only.",
            "fallback": "the throttle sees the substitute, a success, and refuses nothing.",
            "cache": "stored answers are refused too, and count as the service's.",
        ],
        "adaptiveConcurrency": [
            "retry": "the waits between attempts count as the service's time.",
            "authorize": "the wait for a token counts as the service's time.",
            "fallback": "the limit sees the substitute, an answer, and does not shrink.",
            "cache": "the times of stored answers count as the service's.",
            "rateLimit": "the wait for a turn counts as the service's time.",
        ],
        "timeout": [
            "circuitBreaker":
                "the breaker sees a call that was given up, and not that it took too long.",
            "throttle":
                "the throttle sees a call that was given up, and not that it took too long.",
            "adaptiveConcurrency":
                "the limit sees a call that was given up, and not that it took too long.",
            "hedge": "the limit of an attempt bounds all calls of the hedge together.",
            "retry":
                "the limit bounds all attempts together, which deadline does and tells the parts beneath.",
            "rateLimit": "the wait for a turn counts as the attempt's time.",
            "pushback": "the wait for the end of a pause counts as the attempt's time.",
        ],
        "pushback": [
            "cache": "answers that are stored wait for the end of a pause.",
            "retry": "the pause that an attempt is told of does not hold back the next.",
            "circuitBreaker": "calls wait for the end of a pause, only to be refused.",
            "throttle": "calls wait for the end of a pause, only to be refused.",
        ],
        "rateLimit": [
            "cache": "stored answers draw from the server's quota.",
            "retry": "the attempts of a call count as one, so the server gets more than its quota.",
            "hedge": "the two calls count as one, so the server gets more than its quota.",
            "circuitBreaker":
                "while the breaker is open, calls wait for a turn and use it up, only to be refused.",
            "throttle": "calls wait for a turn and use it up, only to be refused by the throttle.",
        ],
        "bulkhead": ["cache": "an answer that is stored waits for a place."],
        "shed": [
            "cache": "an answer that is stored waits for a place.",
            "priority": "the priority is bound beneath, and the queue does not see it.",
        ],
        "cache": [
            "redirect":
                "the answer of the last URL would be stored for the first, so nothing is stored.",
            "cookies":
                "the cache does not see the cookies, and may give one user's answer to another.",
            "authorize":
                "the cache does not know in whose name is asked, so answers to credentials are not stored.",
            "defaultHeaders": "the cache does not see the headers that the server's Vary names.",
            "idempotencyKey": "the cache does not see what is sent.",
            "cache": "the outer asks the inner, and both hold the same answers.",
        ],
        "authorize": [
            "redirect":
                "the URL that a redirect leads to gets no credentials of its own, and its 401 repeats the whole chain."
        ],
        "cookies": [
            "redirect": "the URL that a redirect leads to gets no cookies of its own.",
            "authorize":
                "the second request has the cookies of the first, without those that the 401 sets.",
        ],
        "redirect": [
            "defaultHeaders":
                "the headers go to each origin that a redirect leads to, and keys among them.",
            "idempotencyKey": "the requests of one call have different keys.",
            "newTrace": "the requests of one call are in different traces.",
            "redirect": "the inner follows all, and the outer's limit counts nothing.",
        ],
        "coalesce": [
            "authorize": "callers with different credentials share one answer.",
            "cookies": "callers with different cookies share one answer.",
            "defaultHeaders": "calls are compared without the headers that are sent.",
        ],
        "memoise": [
            "fallback":
                "the substitute is kept like an answer, unless the memo's classifier says otherwise.",
            "deadline": "callers who wait for the same answer share the first one's time.",
        ],
        "decompress": [
            "acceptStatus": "the bodies of errors stay compressed.",
            "cache": "what is stored is compressed, and decompressed for each answer.",
        ],
        "tracePropagation": [
            "retry": "the attempts of one call have the same span ID.",
            "hedge": "the two calls have the same span ID.",
            "redirect":
                "the requests of one call have the same span ID, and those to other origins none.",
            "authorize":
                "a request that is sent again with a new token has the span ID of the first.",
            "cache": "an answer from the cache is told as a span, though no request is sent.",
            "coalesce": "no two calls are equal, so none is shared.",
            "newTrace": "the trace begins beneath what would send it, so nothing is sent.",
        ],
        "callPropagation": [
            "deadline": "the deadline is bound beneath, and its time is not sent.",
            "priority": "the priority is bound beneath, and is not sent.",
            "redirect": "each request of the call says what time was left for the first.",
            "authorize": "a request that waits for a token says what time was left before.",
            "cache": "requests with different headers share no answer.",
            "coalesce": "calls with different headers share no answer.",
            "bulkhead": "a request that waits for a place says what time was left before.",
            "shed": "a request that waits for a place says what time was left before.",
            "adaptiveConcurrency":
                "a request that waits for a place says what time was left before.",
            "retry": "each attempt says what time was left for the first.",
            "hedge": "the second call says what time was left for the first.",
            "rateLimit": "a request that waits for its turn says what time was left before.",
        ],
        "deadline": [
            "observed": "what the deadline cuts has no observer; observed belongs outermost."
        ],
    ]
}
