public import PledgeHTTPClients
import PledgeServices

extension HTTPClient {
    /// The load shedders, which stand in for the bulkheads: in overload, calls wait for milliseconds instead of seconds.
    ///
    /// ```swift
    /// client.loadShedder = .perOrigin(LoadShedder(limit: 32))
    /// ```
    public var loadShedder: (any OriginPolicy<LoadShedder>)? {
        get { self.admission?.policies as? any OriginPolicy<LoadShedder> }
        set { self.admission = newValue.map { AdmissionSlot($0) } }
    }
}

extension HTTPClient.Origins.States {
    /// The load shedder of the slot `HTTPClient.loadShedder`, which stands in for the bulkhead.
    public var loadShedder: LoadShedder? { admission as? LoadShedder }
}

extension LoadShedder: OriginPolicy {}

extension AdmissionSlot {
    init(_ shedders: any OriginPolicy<LoadShedder>) {
        self.init(
            shedders, { .loadShedding(sharing: $0) }, { .loadShedding(sharing: $0) })
    }
}
