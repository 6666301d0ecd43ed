public import PledgeHTTPClients
public import PledgeHTTPMessages

extension HTTPPart where Level == HTTPStack.Hop {
    /// Limits the calls in flight, and keeps the queue short in overload.
    public static func loadShedding(_ shedders: any OriginPolicy<LoadShedder>) -> Self {
        Self(AdmissionSlot(shedders))
    }
}

extension HTTPPart where Level == HTTPStack.Attempt {
    /// Refuses a share of the requests to an overloaded service.
    public static func throttle(_ throttle: AdaptiveThrottle) -> Self {
        Self(
            {
                $0.watch(throttle)
                return .throttle(sharing: throttle, classifier: $0.judge())
            },
            { .throttle(sharing: throttle, classifier: $0.judge()) })
    }

    /// Limits the requests in flight to the number that the service can handle.
    public static func adaptiveConcurrency(_ limit: AdaptiveConcurrency) -> Self {
        Self(
            {
                $0.watch(limit)
                return .adaptiveConcurrency(sharing: limit, classifier: $0.judge())
            },
            { .adaptiveConcurrency(sharing: limit, classifier: $0.judge()) })
    }

    /// Sends the call's remaining time and priority to some origins; see the middleware `callPropagation`.
    public static func callPropagation(
        to origins: HTTPOrigins, named names: CallHeaders = CallHeaders()
    ) -> Self {
        Self(
            .callPropagation(to: origins, named: names),
            .callPropagation(to: origins, named: names))
    }
}
