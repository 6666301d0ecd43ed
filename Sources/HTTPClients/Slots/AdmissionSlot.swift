package import PledgeHTTPMessages
package import PledgeServices

/// The objects of a policy that stands in for the bulkheads, of a type that the client doesn't know.
package struct AdmissionSlot: Sendable {
    typealias Object = any AnyObject & Sendable

    /// The slot's value, an `OriginPolicy`.
    package let policies: any Sendable

    let objects: any OriginPolicy<Object>
    let whole: @Sendable (Object) -> Middleware<HTTPRequest, HTTPResponse>
    let streamed: @Sendable (Object) -> Middleware<HTTPRequest, HTTPStreamedResponse>

    /// - Parameters:
    ///   - policies: The objects.
    ///   - whole: Makes an object's middleware, for whole responses.
    ///   - streamed: Makes an object's middleware, for streamed responses.
    package init<Policy: AnyObject & Sendable>(
        _ policies: any OriginPolicy<Policy>,
        _ whole: @escaping @Sendable (Policy) -> Middleware<HTTPRequest, HTTPResponse>,
        _ streamed: @escaping @Sendable (Policy) -> Middleware<HTTPRequest, HTTPStreamedResponse>
    ) {
        self.policies = policies
        objects =
            (policies as? PerOrigin<Policy>)?.erased ?? AnyPolicies { policies.policy(of: $0) }
        self.whole = { whole(unsafeDowncast($0, to: Policy.self)) }
        self.streamed = { streamed(unsafeDowncast($0, to: Policy.self)) }
    }
}

private struct AnyPolicies: OriginPolicy {
    let object: @Sendable (HTTPOrigin?) -> AdmissionSlot.Object

    func policy(of origin: HTTPOrigin?) -> AdmissionSlot.Object { object(origin) }
}

extension HTTPPart where Level == HTTPStack.Hop {
    /// A part with a slot's objects.
    package init(_ slot: AdmissionSlot) { self.init(slot, slot.objects) }

    /// - Parameter objects: The slot's objects, as a client keeps them.
    init(_ slot: AdmissionSlot, _ objects: any OriginPolicy<AdmissionSlot.Object>) {
        self.init(
            .bulkhead, objects, { object, _ in slot.whole(object) },
            { object, _ in slot.streamed(object) })
    }
}
